import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hermes-replace-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test("replaceFile creates and replaces with mode 0600, and leaves no draft", () => {
  const place = folder();
  const file = join(place, "notes.json");
  replaceFile(file, "one");
  replaceFile(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(place)).toEqual(["notes.json"]);
});

test("replaceFile keeps the old content when the new one cannot be written", () => {
  const file = join(folder(), "notes.json");
  replaceFile(file, "one");
  // A folder at the draft's path makes writing it fail.
  mkdirSync(`${file}.${process.pid}.new`);
  expect(() => replaceFile(file, "two")).toThrow("EISDIR");
  expect(readFileSync(file, "utf8")).toBe("one");
});

test("replaceFile writes through no link that lies at the draft's path", () => {
  const place = folder();
  const [file, other] = [join(place, "notes.json"), join(place, "other")];
  writeFileSync(other, "theirs", { mode: 0o666 });
  symlinkSync(other, `${file}.${process.pid}.new`);
  replaceFile(file, "a secret");
  expect(readFileSync(other, "utf8")).toBe("theirs");
  expect(readFileSync(file, "utf8")).toBe("a secret");
  expect(readdirSync(place).sort()).toEqual(["notes.json", "other"]);
});

test("replaceFile leaves no draft behind when writing it fails, and names the file", () => {
  const place = folder();
  const file = join(place, "notes.json");
  const unwritable = Symbol("no text") as unknown as string;
  expect(() => replaceFile(file, unwritable)).toThrow(expect.objectContaining({ path: file }));
  expect(readdirSync(place)).toEqual([]);
});
