import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hermes-replace-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("a file is made, and replaced, for its owner alone, and nothing is left beside it", () => {
  const place = folder();
  const file = join(place, "notes.json");
  replaceFile(file, "one");
  replaceFile(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(place)).toEqual(["notes.json"]);
});

test("where the new content cannot be written, the old one stays", () => {
  const file = join(folder(), "notes.json");
  replaceFile(file, "one");
  // In the way of the draft.
  mkdirSync(`${file}.${process.pid}.new`);
  expect(() => replaceFile(file, "two")).toThrow("EISDIR");
  expect(readFileSync(file, "utf8")).toBe("one");
});
