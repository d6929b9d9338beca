import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const MAX_LENGTH = 80;

/** A name that begins so is no sentence: it means nothing without its `describe`. */
const FRAGMENT = /^(that|of|also|whose|which|and|nor)\b|^(is|are|has|says|does|takes|gives|with|without) /;

/** A name that opens so needs its main clause behind a comma or colon: "After a restart, the session is there". */
const OPENING =
  /^(in|on|to|by|at|from|when|while|after|where|as|before|if|for|into|over|under|during|since|within|until) /i;

/** What stands behind the comma of such a name where no clause does. */
const NO_CLAUSE =
  /^(once|when|while|where|until|unless|after|before|even|too|or|but|as|in|on|to|by|at|from|for|if|since|then) |^(comes|gets|goes) /;

/** Names of which the first word stands for what only its `describe` tells, and questions within a question. */
const RIDDLE =
  /^(one|two|those|some|others) (that|who|whose|which)\b|^(who|what|whoever)\b.*\b(who|whom|whose|what|which|whoever)\b/i;

function isFragment(name: string): boolean {
  if (FRAGMENT.test(name) || RIDDLE.test(name)) return true;
  if (!OPENING.test(name)) return false;
  const clause = /[,:] (.*)/.exec(name)?.[1] ?? "";
  return clause.split(" ").length < 3 || FRAGMENT.test(clause) || NO_CLAUSE.test(clause);
}

/** The name in `it("…", …)`, `test.skipIf(…)("…", …)` and after the rows of `it.each([…])`. */
const NAME =
  /(?:\b(?:it|test)(?:\.\w+)*(?:\([^"`()]*\))?\(|\](?: as const)?\)\()\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g;

it("the name of each test is a whole sentence of at most 80 characters", () => {
  const wrong = ["core", "packages", "plugins", "e2e", "soak"]
    .flatMap((folder) => filesUnder(join(root, folder)))
    .flatMap((file) => namesIn(readFileSync(file, "utf8")).map((name) => ({ file: relative(root, file), name })))
    .filter(({ name }) => isFragment(name) || name.length > MAX_LENGTH)
    .map(({ file, name }) => `${file}: ${name}`);
  expect(wrong).toEqual([]);
});

it("a name is read from every form of a test, and a fragment or long name is found", () => {
  const source = [
    'it("one", () => {});',
    "test.skipIf(isRoot)(`two`, async () => {});",
    "it.each([\n  1,\n])(\n  'x',\n);",
    'it.each([\n  ["a", 1],\n])("three %s", () => {});',
    'it.each(["a", "b"] as const)("three and %s", run);',
    'it.concurrent.each(ALL)("four", run);',
  ];
  expect(namesIn(source.join("\n"))).toEqual(["one", "two", "three %s", "three and %s", "four"]);
  const fragments = [
    ...["that is gone", "is answered once", "by a stranger is left alone", "to a place that is not there"],
    ...["while it runs, is followed by another", "in a group, once it is asked", "one that leaves is gone at once"],
    ...["by /undo, once for each request", "what is shown is what runs"],
  ];
  expect(fragments.filter((name) => !isFragment(name))).toEqual([]);
  const sentences = [
    ...["offers a message", "After a restart, the session is there", "when it is killed, the other one goes on"],
    ...["in a forum without the right: the bot starts all the same", "one process has a lease at a time"],
    ...["what was refused is not asked about again"],
  ];
  expect(sentences.filter(isFragment)).toEqual([]);
});

function namesIn(source: string): string[] {
  return [...source.matchAll(NAME)].map(([, quoted, template]) => quoted ?? template ?? "");
}

/** The tests, and the kits whose proofs run as tests. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["node_modules", "dist"].includes(entry.name) ? [] : filesUnder(path);
    return /\.test\.ts$/.test(path) || /store-kit.*\.ts$/.test(path) ? [path] : [];
  });
}
