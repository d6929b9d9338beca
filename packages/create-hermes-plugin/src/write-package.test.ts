import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkFolder, writePackage } from "./write-package.ts";

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "create-hermes-plugin-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const FILES = new Map([
  ["package.json", "{}"],
  ["src/index.ts", "export {};"],
]);

it("a new folder and an empty one get the files", () => {
  const [fresh, empty] = [join(place, "fresh"), join(place, "empty")];
  mkdirSync(empty);
  for (const folder of [fresh, empty]) {
    writePackage(folder, FILES);
    expect(readFileSync(join(folder, "src/index.ts"), "utf8")).toBe("export {};");
  }
  expect(readdirSync(place).sort()).toEqual(["empty", "fresh"]);
});

it("a folder that has something in it is refused, and left as it is", () => {
  writeFileSync(join(place, "notes.md"), "mine");
  expect(() => writePackage(place, FILES)).toThrow(`${place} is not empty (notes.md): name another folder.`);
  expect(readdirSync(place)).toEqual(["notes.md"]);
  expect(() => checkFolder(join(place, "notes.md"))).toThrow("notes.md is no folder: name another one.");
});

it("a package that cannot be written whole leaves nothing behind", () => {
  const broken = new Map([...FILES, ["src/index.ts/more.ts", ""]]);
  const folder = join(place, "fresh");
  expect(() => writePackage(folder, broken)).toThrow(`Nothing could be written in ${folder}: `);
  expect(readdirSync(place)).toEqual([]);
  mkdirSync(folder);
  expect(() => writePackage(folder, broken)).toThrow("Nothing could be written");
  expect(readdirSync(folder)).toEqual([]);
});
