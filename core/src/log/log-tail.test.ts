import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LogTail } from "./log-tail.ts";
import { ROTATE_AT, RotatingFile } from "./rotating-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-log-"));
  path = join(folder, "hermes.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a tail begins with the rotated log, and returns a line once it is complete", () => {
  writeFileSync(`${path}.1`, "a\nb\n");
  writeFileSync(path, "c\nü");
  using tail = new LogTail(path);
  expect(tail.begin()).toEqual(["a", "b", "c"]);
  appendFileSync(path, "ber\nd");
  expect(tail.read()).toEqual(["über"]);
  expect(tail.read()).toEqual([]);
});

test("a tail follows a log that does not exist yet, and one that is truncated", () => {
  using tail = new LogTail(path);
  expect(tail.begin()).toEqual([]);
  writeFileSync(path, "first, and long\n");
  expect(tail.read()).toEqual(["first, and long"]);
  truncateSync(path, 0);
  appendFileSync(path, "anew\n");
  expect(tail.read()).toEqual(["anew"]);
});

test("a tail follows a log across a rotation, with a late line in the old file", () => {
  const log = new RotatingFile(path);
  log.write("before\n");
  using tail = new LogTail(path);
  expect(tail.begin()).toEqual(["before"]);
  log.write(`${"x".repeat(ROTATE_AT)}\n`);
  log.write("first of the new one\n");
  appendFileSync(`${path}.1`, "late\n");
  const seen = [...tail.read(), ...tail.read()].map((line) => line.slice(0, 30));
  expect(seen).toEqual(["x".repeat(30), "late", "first of the new one"]);
  log.write("second\n");
  expect(tail.read()).toEqual(["second"]);
  log.close();
});

test("a tail loses no line when the log rotates twice between two reads", () => {
  writeFileSync(path, "one\n");
  using tail = new LogTail(path);
  tail.begin();
  for (const line of ["two", "three"]) {
    renameSync(path, `${path}.1`);
    writeFileSync(path, `${line}\n`);
  }
  expect([...tail.read(), ...tail.read()]).toEqual(["two", "three"]);
});
