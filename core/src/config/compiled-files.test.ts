import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CompiledFiles } from "./compiled-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-compiled-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILE = { source: "const a: string = 'a'", filename: "/x/hermes.config.ts", ts: true };
const isInnocent = () => false;

/** What a start compiles of the given files, one after the other; `holdsSecret` is what it learns of them. */
function start(files: readonly (typeof FILE)[], holdsSecret: (code: string) => boolean = isInnocent): string[] {
  const compiled: string[] = [];
  const cache = new CompiledFiles(folder);
  for (const file of files) {
    cache.codeOf(file, () => {
      compiled.push(file.source);
      return `compiled ${file.source}`;
    });
  }
  cache.keep(holdsSecret);
  return compiled;
}

test("the next start uses what was compiled before, until the file changes", () => {
  const changed = { ...FILE, source: "const a: string = 'b'" };
  expect(start([FILE])).toEqual([FILE.source]);
  expect(start([FILE])).toEqual([]);
  expect(start([changed])).toEqual([changed.source]);
});

test("nothing is written before it is known what the config holds", () => {
  const cache = new CompiledFiles(folder);
  cache.codeOf(FILE, () => "compiled");
  expect(readdirSync(folder)).toEqual([]);
});

test("a compiled file that turns out to hold a secret is removed, and the others stay", () => {
  const plain = { ...FILE, source: "plain" };
  start([FILE, plain]);
  start([FILE, plain], (code) => code.includes(FILE.source));
  expect(readdirSync(folder)).toHaveLength(1);
  expect(start([plain])).toEqual([]);
});
