import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CORE_FOLDER, isOwnProject } from "./own-project.ts";

let root: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-own-")));
  project = join(root, "project");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function link(target: string, path: string): void {
  made(join(path, ".."));
  symlinkSync(target, path);
}

test("the checkout that hermes runs from is its own project", () => {
  expect(isOwnProject(join(CORE_FOLDER, ".."))).toBe(true);
});

test("a project is the own one when npm or pnpm put the running hermes into it", () => {
  const byNpm = made(join(project, "node_modules/@hermes/core"));
  expect(isOwnProject(project, byNpm)).toBe(true);
  const byPnpm = made(join(project, "node_modules/.pnpm/@hermes+core@1.0.0/node_modules/@hermes/core"));
  expect(isOwnProject(project, byPnpm)).toBe(true);
});

test("a project that is reached through a link is the own one too", () => {
  const core = made(join(project, "node_modules/@hermes/core"));
  link(project, join(root, "shortcut"));
  expect(isOwnProject(join(root, "shortcut"), core)).toBe(true);
});

test.each([
  ["the package", "node_modules/@hermes/core", "core"],
  ["the folder of its scope", "node_modules/@hermes", ""],
  ["all modules", "node_modules", ".."],
])("a link to %s that lies elsewhere makes no project the own one", (_, path, target) => {
  const core = made(join(root, "lib/node_modules/@hermes/core"));
  link(join(root, "lib/node_modules/@hermes", target), join(project, path));
  expect(isOwnProject(project, core)).toBe(false);
});

test("a folder beside the project, or below the running hermes, is not the own one", () => {
  const core = made(join(project, "node_modules/@hermes/core"));
  expect(isOwnProject(made(join(root, "proj")), core)).toBe(false);
  expect(isOwnProject(made(join(core, "evil")), core)).toBe(false);
  expect(isOwnProject(join(root, "nowhere"), core)).toBe(false);
});

test("the root folder, and one that everybody may add to, is not the own one", () => {
  const core = made(join(project, "node_modules/@hermes/core"));
  expect(isOwnProject("/", core)).toBe(false);
  expect(isOwnProject(root, core)).toBe(true);
  chmodSync(root, 0o1777);
  expect(isOwnProject(root, core)).toBe(false);
  expect(isOwnProject(project, core)).toBe(true);
});
