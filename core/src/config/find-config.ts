import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HermesError } from "../base/errors.ts";
import { isOwnFile, isOwnProject } from "./own-project.ts";
import { isTrustedFolder } from "./trusted-folders.ts";

/** From where a config is looked for. */
export interface ConfigRequest {
  /** `--config`: a file, or a folder that has one. */
  readonly configPath?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** Hermes' home. */
  readonly home: string;
}

export interface FoundConfig {
  /** Null where there is none. */
  readonly file: string | null;
  /** Those that were passed over because a config is code, and their folder is not trusted. */
  readonly untrusted: readonly string[];
}

/** The names under which a folder may have its config; the first that is there counts. */
const NAMES = ["ts", "mts", "js", "mjs", "cjs", "json", "yaml", "yml"].map((ending) => `hermes.config.${ending}`);

/**
 * Finds the config, and runs nothing: `--config`, then `HERMES_CONFIG`, then the working directory and the folders
 * above it where they are trusted, then the home. Throws CONFIG_NOT_FOUND when one was named and is not there.
 */
export function findConfig(request: ConfigRequest): FoundConfig {
  const named = request.configPath ?? request.environment.HERMES_CONFIG;
  if (named) return { file: namedConfig(resolve(request.workingDirectory, named)), untrusted: [] };

  const untrusted: string[] = [];
  for (const folder of upwardsFrom(request.workingDirectory)) {
    const file = configIn(folder);
    if (file === null || folder === request.home) continue;
    if (isTrusted(file, folder, request.home)) return { file, untrusted };
    untrusted.push(file);
  }
  return { file: configIn(request.home), untrusted };
}

/** A folder, and those that it lies in. */
export function* upwardsFrom(folder: string): Generator<string, void> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (current === dirname(current)) return;
  }
}

function isTrusted(file: string, folder: string, home: string): boolean {
  return isTrustedFolder(home, folder) || (isOwnProject(folder) && isOwnFile(file));
}

function namedConfig(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? configIn(path) : path;
  if (file === null || !existsSync(file)) throw new HermesError("CONFIG_NOT_FOUND", { tried: path });
  return file;
}

function configIn(folder: string): string | null {
  const file = NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file !== undefined) return file;
  const packageFile = join(folder, "package.json");
  return hasConfig(packageFile) ? packageFile : null;
}

/** Whether a package.json holds a config. In the one of a plugin, the same key holds its manifest. */
function hasConfig(packageFile: string): boolean {
  try {
    const { hermes } = JSON.parse(readFileSync(packageFile, "utf8")) as { hermes?: unknown };
    return typeof hermes === "object" && hermes !== null && !("apiVersion" in hermes);
  } catch {
    return false;
  }
}
