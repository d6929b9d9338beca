import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATOR } from "@hermes/core/embed";
import type { Emulator, EmulatorModule } from "@hermes/emulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";

interface PackageJson {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hermes?: { readonly platform: string; readonly emulator?: string };
}

interface InstalledPlugin {
  readonly name: string;
  readonly platform: string;
  /** What it needs and core does not: the platform's own library, and what it brings. */
  readonly libraries: readonly string[];
  readonly hasEmulator: boolean;
}

const RECORDER = new URL("./fixtures/record-modules.ts", import.meta.url);

/** What must never be missing among the libraries that are looked for. */
const LIBRARY = { telegram: "grammy", discord: "discord.js", slack: "@slack/bolt", web: "hono" };

const workspace = readPackage(new URL("../package.json", import.meta.url));
const core = readPackage(new URL("../core/package.json", import.meta.url));
const plugins = Object.keys(workspace.dependencies ?? {})
  .filter((name) => name.startsWith("@hermes/plugin-"))
  .map(readPlugin);

const emulators = new Map<string, Emulator>();
let machine: HermesMachine;
let recorded: string;

beforeAll(async () => {
  for (const { name, platform, hasEmulator } of plugins) {
    if (!hasEmulator) continue;
    const { startEmulator }: EmulatorModule = await import(`${name}/emulator`);
    emulators.set(platform, await startEmulator());
  }
  machine = new HermesMachine({ plugins: plugins.map(configured) }, { NODE_OPTIONS: `--import ${RECORDER.href}` });
  recorded = join(machine.folder, "modules.json");
  machine.environment.RECORD_MODULES = recorded;
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  for (const emulator of emulators.values()) await emulator.close();
});

it("the libraries of the platforms are known", () => {
  expect(plugins.flatMap(({ libraries }) => libraries)).toEqual(expect.arrayContaining(Object.values(LIBRARY)));
});

describe.each(["json", "ts"])("a config in %s that names every installed plugin", (kind) => {
  it.each(["--help", "sessions", "status", "handoffs", "plugins"])(
    "`hermes %s` loads no platform's library",
    async (command) => {
      const config = kind === "json" ? machine.configPath : writeTypeScriptConfig();
      const { code, stderr } = await machine.run(command, "--config", config);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(foreign(loadedModules())).toEqual([]);
    },
  );

  it("`hermes status` has read what the plugins say of themselves", async () => {
    await machine.run("status", "--config", kind === "json" ? machine.configPath : writeTypeScriptConfig());
    const modules = loadedModules();
    for (const { name } of plugins) expect(modules).toContainEqual(expect.stringMatching(entryOf(name)));
  });
});

it("`hermes resume` loads few modules, and each of core's once", async () => {
  const config = join(machine.folder, "web.config.json");
  const web = plugins.find(({ platform }) => platform === "web");
  if (web === undefined) throw new Error("The page is not installed");
  writeFileSync(config, JSON.stringify({ plugins: [configured(web)] }));
  const store = await machine.store();
  const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const { code, stderr } = await machine.run("resume", id, "--config", config);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const modules = loadedModules();
  expect(modules.length).toBeLessThan(220);
  const ofCore = modules.filter((url) => url.includes("/core/dist/"));
  expect(ofCore.filter((url) => !url.includes("/core/dist/bundle/"))).toEqual([]);
  expect(ofCore.length).toBeLessThan(40);
});

it("a gateway loads the library of each platform that it serves, as recorded", async () => {
  const served = plugins.filter(({ platform }) => platform in LIBRARY);
  const config = join(machine.folder, "served.config.json");
  writeFileSync(config, JSON.stringify({ plugins: served.map(configured) }));
  const gateway = machine.start("gateway", "--config", config);
  await gateway.says(/The gateway is ready/);
  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  expect([...packagesOf(loadedModules())]).toEqual(expect.arrayContaining(Object.values(LIBRARY)));
});

/** A plugin as a config names it, with options that it takes. */
function configured({ name, platform }: InstalledPlugin): readonly [string, unknown] {
  return [name, optionsOf(platform)];
}

function optionsOf(platform: string): unknown {
  return emulators.get(platform)?.options ?? { port: 0 };
}

/** The modules that the process which ended last has loaded. To be asked once a process. */
function loadedModules(): string[] {
  const modules: string[] = JSON.parse(readFileSync(recorded, "utf8"));
  rmSync(recorded);
  return modules;
}

/** What no command but the gateway may load: libraries of platforms, and the parts of plugins that use them. */
function foreign(modules: readonly string[]): string[] {
  const libraries = new Set(plugins.flatMap((plugin) => plugin.libraries));
  const isPart = (url: string) => /\/plugins\/[\w-]+\/(?:dist\/(?:adapter\.js|server\/)|emulator\/)/.test(url);
  return [...[...packagesOf(modules)].filter((name) => libraries.has(name)), ...modules.filter(isPart)];
}

/** The packages that modules are of; those that one of them needs stand beside it. */
function packagesOf(modules: readonly string[]): Set<string> {
  const names = modules.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}

function entryOf(name: string): RegExp {
  return new RegExp(`/${name.replace("@hermes/plugin-", "plugins/")}/dist/index\\.js$`);
}

/** The same plugins and options, called as people write them. */
function writeTypeScriptConfig(): string {
  const calls = plugins.map(({ platform }) => `${platform}(${JSON.stringify(optionsOf(platform))})`);
  const file = join(machine.folder, "hermes.config.ts");
  writeFileSync(
    file,
    [
      'import { defineConfig } from "@hermes/core";',
      ...plugins.map(({ name, platform }) => `import { ${platform} } from "${name}";`),
      `export default defineConfig({ plugins: [${calls.join(", ")}] });`,
    ].join("\n"),
  );
  return file;
}

function readPackage(path: URL | string): PackageJson {
  return JSON.parse(readFileSync(path, "utf8"));
}

function readPlugin(name: string): InstalledPlugin {
  const { dependencies = {}, hermes } = readPackage(
    createRequire(fileURLToPath(import.meta.url)).resolve(`${name}/package.json`),
  );
  if (hermes === undefined) throw new Error(`${name} is no plugin`);
  const libraries = Object.keys(dependencies).filter((one) => core.dependencies?.[one] === undefined);
  return { name, platform: hermes.platform, libraries, hasEmulator: hermes.emulator !== undefined };
}
