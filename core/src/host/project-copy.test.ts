import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { trustFolder } from "../config/trusted-folders.ts";
import { copyToRun } from "./project-copy.ts";

let root: string;
let project: string;
let projectCopy: string;
let environment: NodeJS.ProcessEnv;
const ownFolder = "/opt/hermes";

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-copy-")));
  project = join(root, "project");
  projectCopy = join(project, "node_modules/@hermes/core");
  mkdirSync(projectCopy, { recursive: true });
  mkdirSync(join(project, "deep"));
  mkdirSync(join(root, "home"));
  writeFileSync(join(projectCopy, "package.json"), `{ "name": "@hermes/core" }`);
  environment = { HERMES_HOME: join(root, "home") };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const copyFor = (args: string[], workingDirectory: string) =>
  copyToRun({ args, environment, workingDirectory, ownFolder });

test("a cloned folder's own copy is not run", () => {
  expect(copyFor([], project)).toBe(ownFolder);
});

test("a trusted folder's copy is run, even from a folder below it", () => {
  trustFolder(join(root, "home"), project);
  expect(copyFor([], project)).toBe(projectCopy);
  expect(copyFor(["chat"], join(project, "deep"))).toBe(projectCopy);
});

test("a trusted folder's copy is not run if others may have written the trust list", () => {
  trustFolder(join(root, "home"), project);
  chmodSync(join(root, "home"), 0o777);
  expect(copyFor([], project)).toBe(ownFolder);
});

test("a cloned folder within a trusted one is skipped", () => {
  trustFolder(join(root, "home"), project);
  const clone = join(project, "clone");
  mkdirSync(join(clone, "node_modules/@hermes"), { recursive: true });
  symlinkSync(projectCopy, join(clone, "node_modules/@hermes/core"));
  expect(copyFor([], clone)).toBe(projectCopy);
});

test("a cloned folder that links to another copy is skipped", () => {
  const clone = join(root, "clone");
  mkdirSync(join(clone, "node_modules/@hermes"), { recursive: true });
  symlinkSync(projectCopy, join(clone, "node_modules/@hermes/core"));
  expect(copyFor([], clone)).toBe(ownFolder);
});

test("the project of the running copy beats a trusted project around it", () => {
  trustFolder(join(root, "home"), project);
  const inner = join(project, "inner");
  const innerCopy = join(inner, "node_modules/.pnpm/@hermes+core@1.0.0/node_modules/@hermes/core");
  mkdirSync(innerCopy, { recursive: true });
  expect(copyToRun({ args: [], environment, workingDirectory: inner, ownFolder: innerCopy })).toBe(innerCopy);
});

test("a config that was named decides which copy runs: the one its plugins use", () => {
  expect(copyFor(["--config", "project/hermes.config.ts"], root)).toBe(projectCopy);
  expect(copyFor([`--config=${project}`], "/")).toBe(projectCopy);
  environment.HERMES_CONFIG = join(project, "hermes.config.json");
  expect(copyFor([], "/")).toBe(projectCopy);
});

test("arguments after -- are a message, and name no config", () => {
  expect(copyFor(["--", "--config", project], "/")).toBe(ownFolder);
});

test("hermes runs its own copy if the project has none", () => {
  expect(copyFor([], root)).toBe(ownFolder);
  expect(copyFor(["--config", join(root, "x.json")], root)).toBe(ownFolder);
});
