import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { HermesError, reasonOf } from "../base/errors.ts";
import { isPluginDescriptor } from "../plugin/descriptor.ts";
import type { ConfigRequest } from "./find-config.ts";
import { placeOfFault } from "./place-of-fault.ts";
import { placeInCode, runCode } from "./run-code.ts";

/** What stands in a config, before it is checked. */
export interface RawConfig {
  readonly value: unknown;
  /** JSON or YAML: there, variables of the environment are written `${NAME}`. */
  readonly isData: boolean;
}

/** Reads or runs a config file. Throws CONFIG_UNREADABLE with the place of the fault, and CONFIG_NO_EXPORT. */
export async function readConfig(
  file: string,
  request: Pick<ConfigRequest, "home" | "environment">,
  variables: Readonly<Record<string, string>>,
): Promise<RawConfig> {
  const { home, environment } = request;
  try {
    if (isData(file)) return { value: await readData(file), isData: true };
    const exported = await runCode({ file, home, environment, variables }, exportedConfig);
    if (exported === undefined) throw new HermesError("CONFIG_NO_EXPORT", { file });
    return { value: exported, isData: false };
  } catch (error) {
    if (error instanceof HermesError) throw error;
    throw await unreadable(error, file);
  }
}

/** Throws CONFIG_UNREADABLE where `text`, which stands in `file`, is not the JSON or YAML that it should be. */
export async function throwUnlessReadable(file: string, text: string): Promise<void> {
  if (!isData(file)) return;
  try {
    await readData(file, text);
  } catch (error) {
    throw await unreadable(error, file);
  }
}

/** The CONFIG_UNREADABLE for what was thrown while a config was read, run or looked at. */
export async function unreadable(thrown: unknown, file: string): Promise<HermesError> {
  if (isData(file)) return new HermesError("CONFIG_UNREADABLE", { ...placeOfFault(thrown, file) }, { cause: thrown });
  const place = await placeInCode(thrown, file);
  const { redactorOfWritten } = await import("./written-secrets.ts");
  const redact = redactorOfWritten(file);
  // Not as it was thrown: it goes into the log, with all that it says.
  const cause = new Error(redact(reasonOf(thrown)));
  if (thrown instanceof Error) cause.stack = redact(thrown.stack ?? "");
  return new HermesError("CONFIG_UNREADABLE", { file: place.file, reason: redact(place.reason) }, { cause });
}

function isData(file: string): boolean {
  return [".json", ".yaml", ".yml"].includes(extname(file));
}

/**
 * Only the parsers of cosmiconfig are used. Its search runs `.config/config.js` of the working directory before
 * anybody could say whether that folder is trusted.
 */
async function readData(file: string, written = readFileSync(file, "utf8")): Promise<unknown> {
  const isJson = extname(file) === ".json";
  // Some editors of Windows begin a file with a byte order mark.
  const text = written.replace(/^\uFEFF/, "");
  // Only what has nothing in it has the defaults: one that says `null` is a mistake.
  const isEmpty = (isJson ? text : text.replaceAll(/^\s*#.*$/gm, "")).trim() === "";
  const value: unknown = isEmpty ? {} : await parsed(isJson, file, text);
  return basename(file) === "package.json" ? (value as { hermes?: unknown }).hermes : value;
}

async function parsed(isJson: boolean, file: string, text: string): Promise<unknown> {
  if (isJson) {
    try {
      return JSON.parse(text);
    } catch {
      // Cosmiconfig says where the fault is; to load it for each config would take longer than to read that.
    }
  }
  const { defaultLoaders } = await import("cosmiconfig");
  return defaultLoaders[isJson ? ".json" : ".yaml"](file, text);
}

/** The config that a module exports: its default, also one within a default (compiled code), or one by name. */
async function exportedConfig(module: unknown): Promise<unknown> {
  if (!isObject(module)) return undefined;
  let exported: unknown = await module.default;
  // JSON that was imported is its own default.
  while (isObject(exported) && "default" in exported && exported.default !== exported)
    exported = await exported.default;
  if (exported !== undefined) return exported;
  if (module.config !== undefined) return module.config;
  const named = Object.values(module).filter((value) => isObject(value) && !isPluginDescriptor(value));
  return named.length === 1 ? named[0] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
