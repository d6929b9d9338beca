import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const MAX_LENGTH = 80;

/** A name that begins so is no sentence: it means nothing without its `describe`. */
const FRAGMENT = /^(that|of|also|whose|which|and|nor)\b|^(is|are|has|says|does|takes|gives|with|without) /;

/** The name in `it("…", …)`, `test.skipIf(…)("…", …)` and after the rows of `it.each([…])`. */
const NAME =
  /(?:\b(?:it|test)(?:\.\w+)*(?:\([^"`()]*\))?\(|\](?: as const)?\)\()\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g;

it("the name of each test is a whole sentence of at most 80 characters", () => {
  const wrong = ["core", "packages", "plugins", "e2e", "soak"]
    .flatMap((folder) => filesUnder(join(root, folder)))
    .flatMap((file) => namesIn(readFileSync(file, "utf8")).map((name) => ({ file: relative(root, file), name })))
    .filter(({ name }) => FRAGMENT.test(name) || name.length > MAX_LENGTH)
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
  expect(FRAGMENT.test("that is gone")).toBe(true);
  expect(FRAGMENT.test("is answered once")).toBe(true);
  expect(FRAGMENT.test("offers a message")).toBe(false);
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
