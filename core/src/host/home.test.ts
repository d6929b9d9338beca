import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hermesHome, prepareHome } from "./home.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-home-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("HERMES_HOME names the home; without it, it is .hermes in the person's folder", () => {
  expect(hermesHome({ HERMES_HOME: "/srv/hermes", HOME: "/home/ada" })).toBe("/srv/hermes");
  expect(hermesHome({ HOME: "/home/ada" })).toBe("/home/ada/.hermes");
});

test("a new home is closed to others", () => {
  const home = join(folder, "deep", "home");
  prepareHome(home);
  expect(modeOf(home)).toBe(0o700);
});

test("a home that was open to others is closed", () => {
  const home = join(folder, "home");
  mkdirSync(home);
  chmodSync(home, 0o755);
  prepareHome(home);
  expect(modeOf(home)).toBe(0o700);
});

test("a file in the home's place is named as the reason", () => {
  const home = join(folder, "home");
  writeFileSync(home, "");
  expect(() => prepareHome(home)).toThrow(`${home} cannot be used as Hermes' home: it is a file.`);
});

test("a folder that everybody writes to, such as the temporary one, is refused and left as it is", () => {
  const shared = join(folder, "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(() => prepareHome(shared)).toThrow("a folder that others need");
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
});
