import { mkdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { isPluginDescriptor } from "../plugin/descriptor.ts";
import { placeOfFault } from "./place-of-fault.ts";

/** How long a config that is code may take, in milliseconds. */
const LOADED_WITHIN_MS = 15_000;

/** What stands in a config, before it is checked. */
export interface RawConfig {
  readonly value: unknown;
  /** JSON or YAML: there, variables of the environment are written `${NAME}`. */
  readonly isData: boolean;
}

/** Reads or runs a config file. Throws CONFIG_UNREADABLE with the place of the fault, and CONFIG_NO_EXPORT. */
export async function readConfig(file: string, home: string): Promise<RawConfig> {
  const ending = extname(file);
  try {
    if ([".json", ".yaml", ".yml"].includes(ending)) return { value: await readData(file), isData: true };
    const exported = await inTime(importCode(file, home).then(exportedConfig));
    if (exported === undefined) throw new HermesError("CONFIG_NO_EXPORT", { file });
    return { value: exported, isData: false };
  } catch (error) {
    if (error instanceof HermesError) throw error;
    throw new HermesError("CONFIG_UNREADABLE", placeOfFault(error, file), { cause: error });
  }
}

/** A config that waits for what never comes would hold up every command. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`it was not done after ${LOADED_WITHIN_MS / 1000} s`));
    const timer = systemClock.setTimer(LOADED_WITHIN_MS, late, { keepsAlive: true });
    work.then(resolve, reject).finally(() => timer[Symbol.dispose]());
  });
}

/**
 * Only the parsers of cosmiconfig are used. Its search runs `.config/config.js` of the working directory before
 * anybody could say whether that folder is trusted.
 */
async function readData(file: string): Promise<unknown> {
  const { defaultLoaders } = await import("cosmiconfig");
  const parse = extname(file) === ".json" ? defaultLoaders[".json"] : defaultLoaders[".yaml"];
  const value: unknown = (await parse(file, readFileSync(file, "utf8"))) ?? {};
  return basename(file) === "package.json" ? (value as { hermes?: unknown }).hermes : value;
}

/** JavaScript too, since Node does not tell where a fault of syntax is. Packages are imported as Node does. */
async function importCode(file: string, home: string): Promise<unknown> {
  const { createJiti } = await import("jiti");
  // Its usual cache is in the machine's temporary folder, where others could put code for us to run.
  const fsCache = join(home, "cache", "config");
  mkdirSync(fsCache, { recursive: true, mode: 0o700 });
  return createJiti(pathToFileURL(file).href, { fsCache, interopDefault: false }).import(file);
}

/** The config that a module exports: its default, also one within a default (compiled code), or one by name. */
async function exportedConfig(module: unknown): Promise<unknown> {
  if (!isObject(module)) return undefined;
  let exported: unknown = await module.default;
  while (isObject(exported) && "default" in exported) exported = await exported.default;
  if (exported !== undefined) return exported;
  if (module.config !== undefined) return module.config;
  const named = Object.values(module).filter((value) => isObject(value) && !isPluginDescriptor(value));
  return named.length === 1 ? named[0] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
