import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const MANIFEST = {
  name: "hermes-plugin-pager",
  type: "module",
  keywords: ["hermes-plugin"],
  exports: { ".": "./index.js", "./emulator": "./emulator.js" },
  hermes: { apiVersion: 2, kind: "platform", platform: "pager", emulator: "./emulator" },
};

const EMULATOR = `
import { createServer } from "node:http";
export async function startEmulator({ port, handle }) {
  const server = createServer((request, response) => handle(request, response) || response.end("pager"));
  await new Promise((resolve, reject) => server.on("error", reject).listen(port, "127.0.0.1", resolve));
  const url = "http://127.0.0.1:" + server.address().port;
  return {
    platform: "pager",
    url,
    options: { server: url, token: "emulated-token" },
    chats: [{ id: "42", name: "Ada", kind: "dm", hasThreads: true, label: "private" }],
    people: [{ id: "7", name: "Ada" }],
    isConnected: false,
    failures: [{ is: "break", operations: ["send"], description: "The pager is out of order." }],
    threads: () => [],
    close: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); }),
  };
}
`;

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let config: string;

beforeEach(async () => {
  bench = await openBench();
  config = join(bench.folder, "hermes.config.json");
  // A config that cannot be used yet: its token is the one that nobody has.
  writeFileSync(config, JSON.stringify({ plugins: [["hermes-plugin-pager", { token: "$" + "{PAGER_TOKEN}" }]] }));
  writeFileSync(join(bench.folder, "package.json"), JSON.stringify({ dependencies: { "hermes-plugin-pager": "*" } }));
  const plugin = join(bench.folder, "node_modules", "hermes-plugin-pager");
  mkdirSync(plugin, { recursive: true });
  writeFileSync(join(plugin, "package.json"), JSON.stringify(MANIFEST));
  writeFileSync(join(plugin, "index.js"), "export {};");
  writeFileSync(join(plugin, "emulator.js"), EMULATOR);
});

afterEach(() => bench[Symbol.asyncDispose]());

test("a platform runs with its page until Ctrl-C, and says what to put into the config", async () => {
  const run = bench.start(["emulate", "pager", "--port", "0", "--config", config]);
  await run.printed("Ctrl-C");
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(run.stdout()) ?? [];
  expect(run.stdout()).toContain(`Write there as a person: ${url}/_emulator/`);
  const [entry = ""] = /\["hermes-plugin-pager", [\s\S]*?\n {2}\}\]/.exec(run.stdout()) ?? [];
  expect(JSON.parse(entry)).toEqual([
    "hermes-plugin-pager",
    { server: url, token: "emulated-token", homeChannel: "42", allowedUsers: ["7"] },
  ]);
  expect(run.stdout()).toContain('"42"  Ada (private, with threads)');
  expect(run.stdout()).toContain('People, for `allowedUsers` and `operators`:\n  "7"  Ada\n');
  expect(run.stdout()).toContain(`What can be made to fail: ${url}/_emulator/failures`);
  expect(await (await fetch(`${url}/_emulator/failures`)).json()).toMatchObject({ failures: [{ is: "break" }] });
  expect(await (await fetch(`${url}/any`)).text()).toBe("pager");
  expect(await (await fetch(`${url}/_emulator/chats`)).json()).toMatchObject({ platform: "pager" });
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test("hermes emulate --json prints one document with the emulator's addresses", async () => {
  const run = bench.start(["emulate", "pager", "--port", "0", "--config", config, "--json"]);
  await run.printed('"chats"');
  run.signal("SIGTERM");
  await run.ended;
  expect(JSON.parse(run.stdout())).toMatchObject({
    platform: "pager",
    package: "hermes-plugin-pager",
    options: { token: "emulated-token" },
    people: [{ id: "7", name: "Ada" }],
    plugin: ["hermes-plugin-pager", { homeChannel: "42", allowedUsers: ["7"] }],
  });
});

test("the help says where to look for what can be made to fail", async () => {
  const { code, stdout } = await bench.hermes("emulate", "--help");
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("GET  /_emulator/failures") });
});

test("a platform without an emulator is refused, with those that have one", async () => {
  const { code, stderr } = await bench.hermes("emulate", "pigeon", "--config", config);
  expect(code).toBe(1);
  expect(stderr).toContain("has an emulator of pigeon");
  expect(stderr).toContain("with an emulator: pager");
});

test("the code of a folder that is not trusted is not run", async () => {
  const { code, stderr } = await bench.hermes("emulate", "pager");
  expect(code).toBe(1);
  expect(stderr).toContain("has an emulator of pager");
  await bench.hermes("trust");
  const run = bench.start(["emulate", "pager", "--port", "0"]);
  await run.printed("Ctrl-C");
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
});

test("the author of a plugin finds its emulator in the plugin's own folder", async () => {
  rmSync(join(bench.folder, "node_modules"), { recursive: true });
  const exports = { ...MANIFEST.exports, "./package.json": "./package.json" };
  writeFileSync(join(bench.folder, "package.json"), JSON.stringify({ ...MANIFEST, exports }));
  writeFileSync(join(bench.folder, "emulator.js"), EMULATOR);
  const run = bench.start(["emulate", "pager", "--port", "0", "--config", config]);
  await run.printed("Ctrl-C");
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
});

test("a plugin that only the config names is found", async () => {
  rmSync(join(bench.folder, "package.json"));
  writeFileSync(
    join(bench.folder, "node_modules", "hermes-plugin-pager", "index.js"),
    `const pager = (options = {}) => ({ ...pager.plugin, options, [Symbol.for("hermes:brand:PluginDescriptor")]: true });
     pager.plugin = { package: "hermes-plugin-pager", platform: "pager", apiVersion: 2, create: async () => {},
       schema: { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } } };
     pager[Symbol.for("hermes:brand:PluginFunction")] = true;
     export { pager };`,
  );
  writeFileSync(config, JSON.stringify({ plugins: ["hermes-plugin-pager"] }));
  const run = bench.start(["emulate", "pager", "--port", "0", "--config", config]);
  await run.printed("Ctrl-C");
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
});

test("a port that is taken, and a word that is no port, are named", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const taken = await bench.hermes("emulate", "pager", "--port", String(port), "--config", config);
  other.close();
  expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining(`Port ${port} is in use`) });
  const wrong = await bench.hermes("emulate", "pager", "--port", "far", "--config", config);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("0 to 65535") });
});

test("blames the plugin for an invalid emulator", async () => {
  writeFileSync(join(bench.folder, "node_modules", "hermes-plugin-pager", "emulator.js"), "export const start = 1;");
  const { code, stderr } = await bench.hermes("emulate", "pager", "--config", config);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("exports no startEmulator") });
});
