import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { trustFolder } from "../../config/trusted-folders.ts";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";

let root: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hermes-permissions-"));
  project = join(root, "project");
  mkdirSync(project);
  mkdirSync(join(root, "home"), { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function config(text: string, name = "hermes.config.json"): () => string {
  const file = join(project, name);
  writeFileSync(file, text);
  trustFolder(join(root, "home"), project);
  return () => readFileSync(file, "utf8");
}

async function permissions(...words: string[]) {
  const terminal = createTestTerminal({ home: join(root, "home"), workingDirectory: project });
  const code = await runCli(["permissions", ...words], { io: terminal.io });
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr(), json: () => JSON.parse(terminal.stdout()) };
}

it("lists the rules, those that deny on top", async () => {
  config('{ "permissions": { "allow": ["shell(npm test)"], "deny": ["read(secret/**)"] } }');
  expect((await permissions()).stdout).toMatch(/deny {3}read\(secret\/\*\*\)\nallow {2}shell\(npm test\)\n/);
  expect((await permissions("list", "--json")).json()).toMatchObject({
    permissions: { allow: ["shell(npm test)"], ask: [], deny: ["read(secret/**)"] },
  });
});

it.each([
  [
    "hermes.config.json",
    '{\n  "model": "a/b"\n}\n',
    '{\n  "model": "a/b",\n  "permissions": { "allow": ["shell(npm test)", "write(src/**)"] }\n}\n',
  ],
  [
    "hermes.config.yaml",
    "# mine\nmodel: a/b\n",
    "# mine\nmodel: a/b\npermissions:\n  allow: [shell(npm test), write(src/**)]\n",
  ],
  [
    "hermes.config.mjs",
    "// mine\nexport default {\n  model: 'a/b', // this\n};\n",
    "// mine\nexport default {\n  model: 'a/b', // this\n  permissions: { allow: ['shell(npm test)', 'write(src/**)'] },\n};\n",
  ],
])("adds rules to %s in its own form, and takes them out again", async (name, before, after) => {
  const read = config(before, name);
  expect((await permissions("add", "shell(npm test)")).code).toBe(0);
  expect((await permissions("add", "write(src/**)", "--json")).json()).toMatchObject({
    isChanged: true,
    list: "allow",
  });
  expect((await permissions("add", "write(src/**)", "--json")).json()).toMatchObject({ isChanged: false });
  expect(read()).toBe(after);
  await permissions("add", "shell", "--to", "ask");
  expect(read()).toMatch(/ask\W+shell/);
  for (const [rule, list] of [
    ["shell(npm test)", "allow"],
    ["write(src/**)", "allow"],
    ["shell", "ask"],
  ]) {
    expect((await permissions("remove", `${rule}`, "--json")).json()).toMatchObject({ rule, lists: [list] });
  }
  expect(read()).not.toMatch(/shell|write/);
});

it("prints the lines for a config that cannot be edited, and leaves it alone", async () => {
  const text = "const permissions = {};\nexport default { permissions };\n";
  const read = config(text, "hermes.config.mjs");
  expect((await permissions("add", "shell(npm test)")).stdout).toContain(
    'permissions: { allow: ["shell(npm test)"] },',
  );
  expect(read()).toBe(text);
});

it.each([
  ["shell(", "a rule is a tool, such as read"],
  ["shell()", "its pattern is empty"],
  ["shell(a; b)", "it is one command"],
  ["shell(echo $x)", "it is one command"],
  ["shell(echo 'a)", "a quotation mark in it is not closed"],
  ["write(../x)", "a path in a rule has no .. in it"],
  ["read(\u202ex)", "it has a hidden character in it"],
])("refuses the rule %s, and says what is wrong with it", async (rule, reason) => {
  const read = config("{}");
  const { code, stderr } = await permissions("add", rule);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  expect(read()).toBe("{}");
});

it("a config with a rule that is none is refused with file, key and reason", async () => {
  config('{ "permissions": { "deny": ["read", "shell(a|b)"] } }');
  const { code, stderr } = await permissions();
  expect(code).toBe(1);
  expect(stderr).toContain('hermes.config.json: permissions.deny[1] is "shell(a|b)": it is one command');
  expect(stderr).toContain("Fix permissions.deny[1], then run `hermes config check`.");
});

it("refuses to remove a rule that the config does not have", async () => {
  config("{}");
  expect((await permissions("remove", "shell", "--json")).json().error.code).toBe("PERMISSION_RULE_UNKNOWN");
});
