import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "vitest";

const docs = resolve(import.meta.dirname, "../../docs");

/** Between these two lines of a page stands what the code says. */
const begin = (test: string) => `<!-- the table: UPDATE_DOCS=1 npx vitest run --project e2e ${test} writes it -->`;
const END = "<!-- the end of the table -->";

/** Compares what a page of `docs` shows with `rendered`, or writes it there when UPDATE_DOCS is set. */
export function expectOnPage(page: string, test: string, rendered: string): void {
  const file = resolve(docs, page);
  const [before, rest = ""] = readFileSync(file, "utf8").split(`${begin(test)}\n`);
  const [shown, after] = rest.split(END);
  if (process.env.UPDATE_DOCS) writeFileSync(file, `${before}${begin(test)}\n${rendered}${END}${after ?? "\n"}`);
  else expect(shown).toBe(rendered);
}
