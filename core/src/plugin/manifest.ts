import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, sep } from "node:path";
import { HermesError, reasonOf } from "../base/errors.ts";
import { readPlainFile } from "../base/plain-file.ts";
import { upwardsFrom } from "../base/upwards-from.ts";
import { PLUGIN_API_VERSION } from "./descriptor.ts";
import { type PackageJson, packageFolder } from "./package-json.ts";
import { resolveExport } from "./resolve-export.ts";

/** What a plugin's package.json says of it. Read without running anything of the plugin. */
export interface PluginManifest {
  readonly package: string;
  readonly version: string | null;
  /** Where the package lies, with links resolved. */
  readonly folder: string;
  readonly apiVersion: number;
  readonly kind: PluginKind;
  /** Null for one that brings tools. */
  readonly platform: string | null;
  /** The module that the config imports. */
  readonly main: string;
  /** The modules of the plugin's emulator, of its commands, and of what its set-up asks for, where it has such. */
  readonly emulator: string | null;
  readonly cli: string | null;
  readonly setup: string | null;
  /** Whether it asks for the operator's overview; see {@link mayHaveOverview}. */
  readonly overview: boolean;
  /** Whether the package says with its keyword that it is to be found among the dependencies. */
  readonly isPlugin: boolean;
}

/** The keyword of packages that are plugins. */
const KEYWORD = "hermes-plugin";

/** What plugins can be. */
const KINDS = ["platform", "tools"] as const;

type PluginKind = (typeof KINDS)[number];

/**
 * Finds an installed plugin from `folder`, as npm, pnpm, yarn and links lay it there, else beside Hermes itself, where a
 * global install puts both. Throws PLUGIN_NOT_FOUND with the
 * places that were tried, PLUGIN_NO_MANIFEST, PLUGIN_KIND_UNKNOWN, and PLUGIN_INVALID for a manifest that says too little.
 */
export function readManifest(name: string, folder: string): PluginManifest {
  const found = installedFolder(name, folder);
  if (found !== null) return manifestIn(found, name);
  throw new HermesError("PLUGIN_NOT_FOUND", { package: name, tried: modulesFolders(name, folder).join(", ") });
}

/** Where an installed package lies, found as a manifest is, whether or not its package.json is among its exports. */
export function installedFolder(name: string, folder: string): string | null {
  const found = packageIn(modulesFolders(name, folder), name);
  return found ?? byPlugAndPlay(name, folder) ?? packageIn(modulesFolders(name, CORE), name);
}

/** The folder of the core that runs. */
const CORE = realpathSync(join(import.meta.dirname, "..", ".."));

function packageIn(modulesFolders: readonly string[], name: string): string | null {
  const found = modulesFolders.find((modules) => existsSync(join(modules, name, "package.json")));
  return found === undefined ? null : realpathSync(join(found, name));
}

/** Under yarn's Plug'n'Play there are no folders to look into: it answers Node's own question. */
function byPlugAndPlay(name: string, folder: string): string | null {
  return process.versions.pnp === undefined ? null : packageFolder(name, folder);
}

/**
 * The packages in the scope of core that are installed beside it, by their names, with their folders: those of a global
 * install, also where core lies within a package that brings it along.
 */
export function besideHermes(core = CORE): ReadonlyMap<string, string> {
  const scope = basename(dirname(core));
  const modulesFolders = [...upwardsFrom(core)].filter((folder) => basename(folder) === "node_modules");
  // The nearest comes last, and counts.
  const folders = modulesFolders.map((folder) => join(folder, scope)).reverse();
  const found = folders.filter((folder) => existsSync(folder));
  return new Map(
    found.flatMap((folder) => readdirSync(folder).map((name) => [`${scope}/${name}`, join(folder, name)] as const)),
  );
}

/** Null if there is no usable one; a plugin written beside the config has none. */
export function manifestOrNull(name: string, folder: string): PluginManifest | null {
  try {
    return readManifest(name, folder);
  } catch {
    return null;
  }
}

/** The manifest of the plugin that is written in `folder` itself; null where there is none. */
export function ownManifest(folder: string): PluginManifest | null {
  try {
    return manifestIn(folder, folder);
  } catch {
    return null;
  }
}

/** The manifest of the package in `folder`; `name` is what it is called when it does not say so itself. */
function manifestIn(folder: string, name: string): PluginManifest {
  const invalid = (reason: string) => new HermesError("PLUGIN_INVALID", { package: name, reason });
  const json = readPackage(folder, invalid);
  const { hermes } = json;
  if (typeof hermes !== "object" || hermes === null) throw new HermesError("PLUGIN_NO_MANIFEST", { package: name });

  const { apiVersion, kind, platform, emulator, cli, setup, overview } = hermes as Record<string, unknown>;
  if (typeof apiVersion !== "number") throw invalid("its manifest names no apiVersion");
  // Of another version it is `checkApiVersion` that says what is wrong.
  if (apiVersion === PLUGIN_API_VERSION) checkKind(kind, name, invalid);
  const isTools = kind === "tools";
  if (!isTools && !isPlatformName(platform))
    throw invalid("its manifest names no platform, in small letters, digits and dashes");
  const module = (subpath: unknown, key: string): string | null => {
    if (subpath === undefined) return null;
    const path = typeof subpath === "string" ? resolveExport(folder, json, subpath) : null;
    if (path === null) throw invalid(`its manifest's ${key} is not among its exports`);
    return path;
  };
  const main = module(".", "main module");
  if (main === null) throw invalid("it exports nothing");
  return {
    package: typeof json.name === "string" ? json.name : name,
    version: typeof json.version === "string" ? json.version : null,
    folder,
    apiVersion,
    kind: isTools ? "tools" : "platform",
    platform: isPlatformName(platform) ? platform : null,
    main,
    emulator: module(emulator, "emulator"),
    cli: module(cli, "cli"),
    setup: module(setup, "setup"),
    overview: overview === true,
    isPlugin: Array.isArray(json.keywords) && json.keywords.includes(KEYWORD),
  };
}

function checkKind(kind: unknown, name: string, invalid: (reason: string) => HermesError): void {
  if (kind === undefined) throw invalid('its manifest names no kind, such as `"kind": "platform"`');
  if (KINDS.some((known) => known === kind)) return;
  throw new HermesError("PLUGIN_KIND_UNKNOWN", { package: name, kind: String(kind), known: KINDS.join(", ") });
}

/** Throws PLUGIN_API_TOO_NEW or PLUGIN_API_TOO_OLD for a plugin that was made for another Hermes. */
export function checkApiVersion(plugin: { readonly package: string; readonly apiVersion: number }): void {
  const fields = { package: plugin.package, wanted: plugin.apiVersion, found: PLUGIN_API_VERSION };
  if (plugin.apiVersion > PLUGIN_API_VERSION) throw new HermesError("PLUGIN_API_TOO_NEW", fields);
  if (plugin.apiVersion !== PLUGIN_API_VERSION) throw new HermesError("PLUGIN_API_TOO_OLD", fields);
}

/** It becomes part of session keys, of commands and of a folder's name. */
export function isPlatformName(name: unknown): name is string {
  return typeof name === "string" && /^[a-z][a-z0-9-]{0,31}$/.test(name);
}

function modulesFolders(name: string, folder: string): string[] {
  const require = createRequire(join(folder, "hermes.js"));
  // Without those for all of a person's programs: an import does not look there.
  return (require.resolve.paths(name) ?? []).filter(
    (path) => path.endsWith(`${sep}node_modules`) && folder.startsWith(dirname(path)),
  );
}

function readPackage(folder: string, invalid: (reason: string) => HermesError): PackageJson {
  try {
    const json: unknown = JSON.parse(readPlainFile(join(folder, "package.json")));
    return typeof json === "object" && json !== null ? json : {};
  } catch (error) {
    throw invalid(`its package.json cannot be read: ${reasonOf(error)}`);
  }
}
