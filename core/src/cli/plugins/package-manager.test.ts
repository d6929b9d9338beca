import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Output } from "../../terminal/output.ts";
import { createTestTerminal, type TestTerminal } from "../test-terminal.ts";
import { install, makeProject, packageManagerOf, projectFolder, uninstall, update } from "./package-manager.ts";

let folder: string;
let terminal: TestTerminal;
let output: Output;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-manager-"));
  const { io, ...rest } = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const environment = { PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`, NPM_TOKEN: "hush-hush-hush" };
  terminal = { io: { ...io, environment }, ...rest };
  output = new Output(terminal.io, { json: false });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
}

/** A package manager that writes down what it is told, each word on a line, and then does as the script says. */
function fake(name: string, script = ""): void {
  write({ [`bin/${name}`]: `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder}/told"\n${script}\n` });
}

function told(): string {
  return readFileSync(join(folder, "told"), "utf8").trimEnd().replaceAll("\n", " ");
}

it.each([
  ["npm where nothing says otherwise", {}, "npm", false],
  ["npm by its lock file", { "app/package-lock.json": "{}" }, "npm", false],
  ["pnpm by its lock file", { "app/pnpm-lock.yaml": "" }, "pnpm", false],
  ["bun by its lock file", { "app/bun.lock": "" }, "bun", false],
  ["yarn 1 by its lock file", { "app/yarn.lock": "# yarn lockfile v1" }, "yarn", false],
  ["yarn 4 by its lock file", { "app/yarn.lock": "__metadata:\n  version: 8\n" }, "yarn", true],
  ["yarn 4 by its settings", { "app/yarn.lock": "", "app/.yarnrc.yml": "" }, "yarn", true],
  ["yarn 1 by its version", { "app/package.json": '{"packageManager":"yarn@1.22.22"}' }, "yarn", false],
  ["yarn 4 by its version", { "app/package.json": '{"packageManager":"yarn@4.9.1+sha512.abc"}' }, "yarn", true],
  [
    "what package.json says before a lock file",
    { "app/package.json": '{"packageManager":"pnpm@10.0.0"}', "app/package-lock.json": "{}" },
    "pnpm",
    false,
  ],
  [
    "the lock file of the workspace around it",
    { "package.json": '{"workspaces":["app"]}', "yarn.lock": "__metadata:", "app/package.json": "{}" },
    "yarn",
    true,
  ],
  ["npm beside a lock file of nobody's workspace", { "yarn.lock": "", "app/package.json": "{}" }, "npm", false],
])("finds %s", (_, files, name, isBerry) => {
  write({ "app/package.json": "{}", ...files });
  expect(packageManagerOf(join(folder, "app"))).toMatchObject({ name, isBerry, isWorkspaceRoot: false });
});

it.each([
  ["npm", { "package.json": "{}" }, "install --no-audit --no-fund -- a b@1"],
  ["pnpm", { "package.json": "{}", "pnpm-lock.yaml": "" }, "add -- a b@1"],
  ["pnpm", { "package.json": "{}", "pnpm-workspace.yaml": "", "pnpm-lock.yaml": "" }, "add --workspace-root -- a b@1"],
  ["yarn", { "package.json": "{}", "yarn.lock": "__metadata:" }, "add a b@1"],
  [
    "yarn",
    { "package.json": '{"workspaces":[]}', "yarn.lock": "" },
    "add --non-interactive --ignore-workspace-root-check a b@1",
  ],
  ["bun", { "package.json": "{}", "bun.lock": "" }, "add a b@1"],
] as const)("installs with %s in its own words", async (name, files, words) => {
  write(files);
  fake(name);
  await install(folder, ["a", "b@1"], output);
  expect(told()).toBe(words);
  expect(terminal.stderr()).toBe(`${name} installs a, b@1 …\n`);
});

it("packages are taken out, and updated to the newest version", async () => {
  write({ "package.json": "{}" });
  fake("npm");
  await uninstall(folder, ["a"], output);
  expect(told()).toBe("uninstall --no-audit --no-fund -- a");
  await update(folder, ["a"], output);
  expect(told()).toBe("install --no-audit --no-fund -- a@latest");
});

it.each([
  ["npm error code E404\nnpm error 404 '@x/a@*' is not in this registry", "PACKAGE_UNKNOWN"],
  ["npm error code ENOTFOUND\nnpm error network request failed, reason: getaddrinfo", "REGISTRY_UNREACHABLE"],
  ["npm error code EBADENGINE\nnpm error notsup hush-hush-hush", "PACKAGE_MANAGER_FAILED"],
])("names what went wrong from the words of a package manager", async (said, code) => {
  write({ "package.json": "{}" });
  fake("npm", `cat >&2 <<'END'\n${said}\nEND\nexit 1`);
  const error = await install(folder, ["@x/a"], output).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code });
  expect(String(error)).not.toContain("hush-hush");
});

it("Ctrl-C stops the package manager, and says so", async () => {
  write({ "package.json": "{}" });
  fake("npm", "exec sleep 60");
  const installing = install(folder, ["a"], output).catch((thrown: unknown) => thrown);
  await terminal.printed("npm installs a");
  terminal.signal("SIGINT");
  expect(await installing).toMatchObject({ code: "PACKAGE_MANAGER_FAILED", fields: { reason: "it was stopped" } });
});

it("a package manager or a package.json that is missing is named", async () => {
  await expect(install(folder, ["a"], output)).rejects.toMatchObject({ code: "PROJECT_MISSING" });
  write({ "package.json": '{"packageManager":"bun@1.0.0"}' });
  terminal.io.environment.PATH = join(folder, "bin");
  await expect(install(folder, ["a"], output)).rejects.toMatchObject({ code: "PACKAGE_MANAGER_MISSING" });
});

it("finds the project around a folder, and makes one where it is told to", () => {
  write({ "package.json": "{}", "app/hermes.config.json": "{}" });
  const app = join(folder, "app");
  expect(projectFolder(app, {})).toBe(folder);
  makeProject(app);
  expect(projectFolder(app, {})).toBe(app);
  expect(JSON.parse(readFileSync(join(app, "package.json"), "utf8"))).toEqual({ private: true });
  makeProject(folder);
  expect(readFileSync(join(folder, "package.json"), "utf8")).toBe("{}");
});

it("a project that was made for packages goes away again while it holds none", () => {
  const file = join(folder, "package.json");
  makeProject(folder)();
  expect(existsSync(file)).toBe(false);
  const undo = makeProject(folder);
  write({ "package.json": '{"dependencies":{}}' });
  undo();
  makeProject(folder)();
  expect(readFileSync(file, "utf8")).toBe('{"dependencies":{}}');
});
