import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HermesError } from "../base/errors.ts";
import { randomIds } from "../base/ids.ts";
import { loadPluginCli, manifestFor } from "../cli/plugins/load-plugin-cli.ts";
import { describePlugins } from "../cli/setup/describe-plugins.ts";
import { loadConfig } from "../config/load-config.ts";
import { installedPlugins } from "./installed-plugins.ts";
import { besideHermes, checkApiVersion, readManifest } from "./manifest.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-manifest-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string | object): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
}

function install(
  folder: string,
  more: object = {},
  hermes: object = { apiVersion: 2, kind: "platform", platform: "pigeon" },
): void {
  write(`${folder}/package.json`, {
    name: "hermes-plugin-pigeon",
    version: "1.2.3",
    keywords: ["hermes-plugin"],
    exports: {
      ".": { types: "./index.d.ts", development: "./src/index.ts", default: "./dist/index.js" },
      "./cli": { import: { default: "./dist/cli.js" } },
    },
    hermes,
    ...more,
  });
}

test("plugins beside the package that brings core along are found", () => {
  const modules = join(root, "lib/node_modules");
  const inner = join(modules, "hermes-handoff/node_modules/@hermes");
  for (const name of ["core", "plugin-web"]) mkdirSync(join(inner, name), { recursive: true });
  for (const name of ["plugin-web", "plugin-pigeon"]) mkdirSync(join(modules, "@hermes", name), { recursive: true });
  expect(Object.fromEntries(besideHermes(join(inner, "core")))).toEqual({
    "@hermes/core": join(inner, "core"),
    "@hermes/plugin-web": join(inner, "plugin-web"),
    "@hermes/plugin-pigeon": join(modules, "@hermes/plugin-pigeon"),
  });
  mkdirSync(join(root, "checkout/core"), { recursive: true });
  expect(besideHermes(join(root, "checkout/core")).size).toBe(0);
});

test("a plugin is found as npm lays it, also from a folder below", () => {
  install(
    "node_modules/hermes-plugin-pigeon",
    {},
    { apiVersion: 2, kind: "platform", platform: "pigeon", cli: "./cli" },
  );
  const folder = join(root, "node_modules/hermes-plugin-pigeon");
  expect(readManifest("hermes-plugin-pigeon", join(root, "deep", "er"))).toEqual({
    package: "hermes-plugin-pigeon",
    version: "1.2.3",
    folder,
    apiVersion: 2,
    kind: "platform",
    platform: "pigeon",
    main: join(folder, "dist/index.js"),
    emulator: null,
    cli: join(folder, "dist/cli.js"),
    setup: null,
    overview: false,
    isPlugin: true,
  });
});

test("a plugin is found as pnpm and links lay it: the folder is the real one", () => {
  install("elsewhere/pigeon");
  mkdirSync(join(root, "node_modules/@me"), { recursive: true });
  symlinkSync(join(root, "elsewhere/pigeon"), join(root, "node_modules/@me/pigeon"));
  expect(readManifest("@me/pigeon", root).folder).toBe(join(root, "elsewhere/pigeon"));
});

test.each([
  ["a main module, and no exports", { exports: undefined, main: "./lib" }, "lib/index.js"],
  ["exports that are one file", { exports: "./one.js" }, "one.js"],
  ["exports without subpaths", { exports: { require: "./one.cjs", import: "./one.mjs" } }, "one.mjs"],
])("a package with %s is understood", (_, more, main) => {
  install("node_modules/hermes-plugin-pigeon", more);
  write("node_modules/hermes-plugin-pigeon/lib/index.js", "");
  expect(readManifest("hermes-plugin-pigeon", root).main).toBe(join(root, "node_modules/hermes-plugin-pigeon", main));
});

test("a manifest that names a module which is not there says which", () => {
  install(
    "node_modules/hermes-plugin-pigeon",
    {},
    { apiVersion: 2, kind: "platform", platform: "pigeon", emulator: "./emulator" },
  );
  expect(() => readManifest("hermes-plugin-pigeon", root)).toThrow("its manifest's emulator is not among its exports");
});

test("a platform's name that could not stand in a key or a command is refused", () => {
  install("node_modules/hermes-plugin-pigeon", {}, { apiVersion: 2, kind: "platform", platform: "../Pigeon" });
  expect(() => readManifest("hermes-plugin-pigeon", root)).toThrow("names no platform");
});

test("a plugin of a kind that is not known says which, and what is", () => {
  install("node_modules/hermes-plugin-pigeon", {}, { apiVersion: 2, kind: "loft", platform: "pigeon" });
  expect(() => readManifest("hermes-plugin-pigeon", root)).toThrow(
    "hermes-plugin-pigeon is a plugin of the kind “loft”, which this Hermes does not support; it supports: platform, tools.",
  );
});

test("a plugin without a kind says what is missing", () => {
  install("node_modules/hermes-plugin-pigeon", {}, { apiVersion: 2, platform: "pigeon" });
  expect(() => readManifest("hermes-plugin-pigeon", root)).toThrow("its manifest names no kind");
});

test("reports the version of a plugin for another Hermes, whatever its kind", () => {
  install("node_modules/hermes-plugin-pigeon", {}, { apiVersion: 3, kind: "loft", platform: "pigeon" });
  const manifest = readManifest("hermes-plugin-pigeon", root);
  expect(() => checkApiVersion(manifest)).toThrow("hermes-plugin-pigeon needs plugin API 3; this Hermes has 2.");
});

test("finds the plugins among a project's dependencies, and no other packages", () => {
  write("package.json", { dependencies: { "hermes-plugin-pigeon": "1", other: "1", gone: "1" } });
  install("node_modules/hermes-plugin-pigeon");
  write("node_modules/other/package.json", {
    name: "other",
    hermes: { apiVersion: 2, kind: "platform", platform: "other" },
    main: "x.js",
  });
  expect(installedPlugins(join(root, "deep")).map((plugin) => plugin.package)).toEqual(["hermes-plugin-pigeon"]);
});

test("lists configured, installed and broken plugins without running any of them", async () => {
  write("package.json", { dependencies: { "hermes-plugin-pigeon": "1", "hermes-plugin-raven": "1" } });
  install("node_modules/hermes-plugin-pigeon");
  write("node_modules/hermes-plugin-pigeon/dist/index.js", "throw new Error('it was run');");
  install("node_modules/hermes-plugin-raven", { name: "hermes-plugin-raven" }, { apiVersion: 9, platform: "raven" });
  expect(describePlugins({ plugins: [], brokenPlugins: [], folder: root })).toMatchObject([
    { package: "hermes-plugin-pigeon", version: "1.2.3", platform: "pigeon", isConfigured: false, problem: null },
    { package: "hermes-plugin-raven", platform: "raven", problem: { code: "PLUGIN_API_TOO_NEW" } },
  ]);
});

test("lists a configured plugin that cannot be used once, with what is wrong", () => {
  write("package.json", { dependencies: { "hermes-plugin-pigeon": "1" } });
  install("node_modules/hermes-plugin-pigeon");
  const error = new HermesError("PLUGIN_INVALID", { package: "hermes-plugin-pigeon", reason: "boom" });
  const place = { key: "plugins[0]", file: "x.json", account: null };
  const broken = { ...place, package: "hermes-plugin-pigeon", platform: "pigeon", error };
  const missing = { ...place, package: "nowhere", platform: null, error };
  expect(describePlugins({ plugins: [], brokenPlugins: [broken, missing], folder: root })).toEqual([
    {
      ...{ package: "hermes-plugin-pigeon", version: "1.2.3", platform: "pigeon", account: null },
      ...{ kind: "platform", isInstalled: true, isConfigured: true, problem: error },
    },
    {
      ...{ package: "nowhere", version: null, platform: null, account: null },
      ...{ kind: "platform", isInstalled: false, isConfigured: true, problem: error },
    },
  ]);
});

test("a platform's commands come from the module that its manifest names", async () => {
  write("package.json", { dependencies: { "hermes-plugin-pigeon": "1" } });
  install(
    "node_modules/hermes-plugin-pigeon",
    {},
    { apiVersion: 2, kind: "platform", platform: "pigeon", cli: "./cli" },
  );
  const cli = `export const commands = [{ name: "login", description: "", run: async (_, { folder, print }) => (print(folder), 0) }];`;
  write("node_modules/hermes-plugin-pigeon/dist/cli.js", cli);
  const home = join(root, "home");
  const config = { ...(await loadConfig({ environment: {}, workingDirectory: root, home })), folder: root };
  const host = { home, config, clock: createVirtualClock(), ids: randomIds };

  const loaded = await loadPluginCli(host, "pigeon");
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  expect(await loaded?.cli.commands?.[0]?.run([], { ...loaded.context, print })).toBe(0);
  expect(printed).toEqual([join(home, "plugins", "pigeon")]);
  expect(await loadPluginCli(host, "raven")).toBeNull();
  expect(manifestFor("pigeon", config)?.package).toBe("hermes-plugin-pigeon");
});
