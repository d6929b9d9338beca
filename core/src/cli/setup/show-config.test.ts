import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";

/** A plugin that takes anything; the part of core that it needs written out. */
const PAGER = `
const brand = (name) => Symbol.for("hermes:brand:" + name);
const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: { port: 80, ...value } }) } };
const configure = (options = {}) => Object.defineProperty(
  { package: "hermes-plugin-pager", platform: "pager", apiVersion: 2, schema, options, create: async () => {} },
  brand("PluginDescriptor"), { value: true });
export const pager = Object.defineProperty(configure, brand("PluginFunction"), { value: true });
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-show-"));
  write("node_modules/hermes-plugin-pager/index.js", PAGER);
  const hermes = { apiVersion: 2, kind: "platform", platform: "pager" };
  const json = { name: "hermes-plugin-pager", version: "1.0.0", type: "module", exports: "./index.js", hermes };
  write("node_modules/hermes-plugin-pager/package.json", JSON.stringify(json));
  write(".env", "PAGER_TOKEN=hush-hush-from-env\nPAGER_HOME=chat-7\n");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text, { mode: 0o600 });
}

async function show(config: string, ...more: string[]) {
  const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  // A config that is code reads the process's own.
  vi.stubEnv("SHOWN_MODEL", "ollama/qwen3");
  terminal.io.environment.SHOWN_MODEL = "ollama/qwen3";
  const code = await runCli(["config", "show", "--config", join(folder, config), ...more], { io: terminal.io });
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

const values = (stdout: string): Record<string, unknown> =>
  Object.fromEntries(
    (JSON.parse(stdout).values as { key: string; value: unknown; from: string; variables: string[] }[]).map(
      ({ key, value, from, variables }) => [key, [value, from, ...variables]],
    ),
  );

const JSON_CONFIG = `{
  "model": "\${SHOWN_MODEL}",
  "log": { "level": "debug" },
  "providers": { "mine": { "baseUrl": "http://localhost:1/v1", "apiKey": "written-out" } },
  "plugins": [
    "hermes-plugin-nowhere",
    ["hermes-plugin-pager", { "token": "\${PAGER_TOKEN}", "homeChannel": "\${PAGER_HOME}", "text": "hush-hush-from-env!" }]
  ]
}`;

const CODE_CONFIG = `import { pager } from "hermes-plugin-pager";
export default {
  model: process.env.SHOWN_MODEL,
  log: { level: "debug" },
  providers: { mine: { baseUrl: "http://localhost:1/v1", apiKey: "written-out" } },
  plugins: [
    pager({ token: process.env.PAGER_TOKEN, homeChannel: process.env["PAGER_HOME"], text: "hush-hush-from-env!" }),
  ],
};
`;

it.each([
  ["hermes.config.json", JSON_CONFIG, "plugins[1]", 1],
  ["hermes.config.mjs", CODE_CONFIG, "plugins[0]", 0],
])("`config show` tells where each value of %s comes from, and shows no secret", async (name, text, plugin, exit) => {
  write(name, text);
  const { code, stdout } = await show(name, "--json");
  expect(code).toBe(exit);
  expect(stdout).not.toMatch(/hush-hush|written-out/);
  expect(values(stdout)).toMatchObject({
    model: ["ollama/qwen3", "environment", "SHOWN_MODEL"],
    instructions: [null, "default"],
    "log.level": ["debug", "file"],
    "store.durability": ["normal", "default"],
    continuity: ["offer", "default"],
    "providers.mine.baseUrl": ["http://localhost:1/v1", "file"],
    "providers.mine.apiKey": [null, "file"],
    [plugin]: ["hermes-plugin-pager", "file"],
    [`${plugin}.token`]: [null, ".env", "PAGER_TOKEN"],
    [`${plugin}.homeChannel.chatId`]: ["chat-7", ".env", "PAGER_HOME"],
    [`${plugin}.allowedUsers`]: [[], "default"],
    [`${plugin}.port`]: [80, "default"],
    [`${plugin}.text`]: [null, "file"],
  });
});

it("`config show` writes a line for each value, with … for a secret", async () => {
  write("hermes.config.mjs", CODE_CONFIG);
  const { stdout } = await show("hermes.config.mjs");
  expect(stdout).toContain(`with ${join(folder, ".env")}`);
  expect(stdout).toMatch(/^model {2,}ollama\/qwen3 {2}SHOWN_MODEL \(environment\)$/m);
  expect(stdout).toMatch(/^plugins\[0\]\.token {2,}… {2}PAGER_TOKEN \(\.env\)$/m);
  expect(stdout).toMatch(/^store\.durability {2,}normal {2}default$/m);
  expect(stdout).toMatch(/^log\.level {2,}debug$/m);
  expect(stdout).not.toMatch(/ $/m);
});

it("`config show` says what is wrong with a config that cannot be used", async () => {
  write("hermes.config.json", '{ "model": 5 }');
  const { code, stderr } = await show("hermes.config.json");
  expect([code, stderr]).toEqual([1, expect.stringContaining("model is 5")]);
});
