import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What runs in a browser, whose requests go to the server that it came from. */
const PAGES = new Set(["packages/emulator/src/console/page-script.ts"]);

// A redirect that is followed takes the words of a request elsewhere.
it("every request says what becomes of a redirect", () => {
  const calls = ["core/src", ...sourcesIn("plugins"), ...sourcesIn("packages")].flatMap((folder) =>
    filesUnder(join(root, folder)).flatMap(requestsIn),
  );
  expect(calls.length).toBeGreaterThan(15);
  expect(calls.filter(({ words }) => !/\bredirect: "/.test(words)).map(({ at }) => at)).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .map((name) => join(folder, name, "src"))
    .filter((sources) => existsSync(join(root, sources)));
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !PAGES.has(relative(root, file)));
}

/** The calls of `fetch` in a file, and in the examples of its comments, with all that they are given. */
function requestsIn(file: string): { readonly at: string; readonly words: string }[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?<![\w.#]|async )fetch\(/g)].map(({ index }) => {
    const line = text.slice(0, index).split("\n").length;
    return { at: `${relative(root, file)}:${line}`, words: upToItsEnd(text.slice(index)) };
  });
}

/** The call that `text` begins with, up to the bracket that closes it. */
function upToItsEnd(text: string): string {
  let open = 0;
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    open += bracket === "(" ? 1 : -1;
    if (open === 0) return text.slice(0, index + 1);
  }
  return text;
}
