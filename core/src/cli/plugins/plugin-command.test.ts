import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const MANIFEST = {
  name: "hermes-plugin-pager",
  version: "1.2.3",
  type: "module",
  keywords: ["hermes-plugin"],
  exports: { ".": "./index.js", "./cli": "./cli.js" },
  hermes: { apiVersion: 2, kind: "platform", platform: "pager", cli: "./cli" },
};

const CLI = `
export default {
  commands: [
    {
      name: "login",
      description: "sign in",
      operands: [{ form: "[name]", description: "who" }],
      options: [{ form: "-p, --phone <number>", description: "the number to link" }],
      async run(args, { folder, print }) {
        print("signed in with " + args.join(" ") + " in " + folder);
        return 3;
      },
    },
    {
      name: "sign-out",
      description: "sign everybody out",
      async run(args, { print }) {
        print("everybody was signed out");
        return 0;
      },
    },
  ],
};
`;

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let config: string;

beforeEach(async () => {
  bench = await openBench();
  config = join(bench.folder, "hermes.config.json");
  writeFileSync(config, "{}");
  writeFileSync(join(bench.folder, "package.json"), JSON.stringify({ dependencies: { "hermes-plugin-pager": "*" } }));
  const plugin = join(bench.folder, "node_modules", "hermes-plugin-pager");
  mkdirSync(plugin, { recursive: true });
  writeFileSync(join(plugin, "package.json"), JSON.stringify(MANIFEST));
  writeFileSync(join(plugin, "index.js"), "export {};");
  writeFileSync(join(plugin, "cli.js"), CLI);
});

afterEach(() => bench[Symbol.asyncDispose]());

test("a plugin's own commands get their arguments and the plugin's folder", async () => {
  const { code, stdout } = await bench.hermes("pager", "login", "--phone", "1", "--config", config);
  expect(code).toBe(3);
  expect(stdout).toBe(`signed in with --phone 1 in ${join(bench.home, "plugins", "pager")}\n`);
});

test("a command of a platform whose plugin is broken says what is wrong with it", async () => {
  writeFileSync(config, JSON.stringify({ plugins: ["hermes-plugin-pager"] }));
  writeFileSync(join(bench.folder, "package.json"), "{}");
  const { code, stderr } = await bench.hermes("pager", "login", "--config", config);
  expect(code).toBe(1);
  expect(stderr).toContain("plugins[0]: The plugin hermes-plugin-pager is not usable: it exports no plugin");
});

test("a plugin command with --json prints live to stderr, then one document", async () => {
  const { json, stderr } = await bench.hermes("pager", "login", "--config", config, "--json");
  expect(json()).toMatchObject({
    ...{ platform: "pager", command: "login", exitCode: 3, lines: [expect.any(String)] },
    error: { code: "PLUGIN_COMMAND_FAILED", message: expect.stringContaining("signed in with") },
  });
  expect(stderr).toContain("signed in with");
});

test("its commands are listed by its name alone", async () => {
  const { code, stdout } = await bench.hermes("--config", config, "pager");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "hermes pager login  sign in\nhermes pager sign-out  sign everybody out\n",
  });
});

test("a command that it does not have is wrong use", async () => {
  const { code, stderr } = await bench.hermes("pager", "logout", "--config", config);
  expect(code).toBe(2);
  expect(stderr).toContain("pager has no command logout; it has login, sign-out");
});

test.each([[["--help"]], [["-h"]], [["all", "--help"]], [["--help", "--json"]]])(
  "a plugin's command that is asked for help with %j prints it and does nothing",
  async (words) => {
    const { code, stdout, stderr } = await bench.hermes("pager", "sign-out", ...words, "--config", config);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("sign everybody out");
    expect(stdout).not.toContain("everybody was signed out");
  },
);

test("the help of a plugin's command names the words and options that it takes", async () => {
  const { stdout } = await bench.hermes("pager", "login", "--help", "--config", config);
  expect(stdout).toMatch(/^Usage: hermes pager login \[options\] \[name\]\n/);
  expect(stdout).toMatch(/-p, --phone <number> +the number to link/);
});

test.each([
  [["sign-out", "--al"], "There is no option --al."],
  [["sign-out", "-x"], "There is no option -x."],
  [["sign-out", "ada"], "Too many arguments"],
  [["sign-out", "--", "--help"], "Too many arguments"],
  [["login", "--phone"], "--phone needs <number>"],
  [["login", "ada", "bob"], "Too many arguments"],
])("a plugin's command refuses %j, which it does not take, and does nothing", async (words, reason) => {
  const { code, stdout, stderr } = await bench.hermes("pager", ...words, "--config", config);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(reason);
  expect(stderr).toContain(`\`hermes pager ${words[0]} --help\` shows how.`);
});

test("hermes plugins lists what is installed and not configured, with how to add it", async () => {
  const { stdout } = await bench.hermes("plugins", "--config", config);
  expect(stdout).toContain("To use what is not configured: `hermes plugins add hermes-plugin-pager`.");
  const { json } = await bench.hermes("plugins", "--config", config, "--json");
  expect(json()).toEqual({
    plugins: [
      {
        package: "hermes-plugin-pager",
        version: "1.2.3",
        kind: "platform",
        platform: "pager",
        account: null,
        isInstalled: true,
        isConfigured: false,
        health: null,
        detail: null,
        problem: null,
      },
    ],
  });
});
