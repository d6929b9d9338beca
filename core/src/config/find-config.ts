import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { HermesError } from "../base/errors.ts";
import { upwardsFrom } from "../base/upwards-from.ts";
import { configIn } from "./config-files.ts";
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
  /** The trusted folder that it lies in, whose contents are to be compared; null where it needs no trust. */
  readonly trustedFolder: string | null;
  /** Those that were passed over because a config is code, and their folder is not trusted. */
  readonly untrusted: readonly string[];
}

/**
 * Finds the config, and runs nothing: `--config`, then `HERMES_CONFIG`, then the working directory and the folders
 * above it where they are trusted, then the home. Throws CONFIG_NOT_FOUND when one was named and is not there.
 */
export function findConfig(request: ConfigRequest): FoundConfig {
  const named = request.configPath ?? request.environment.HERMES_CONFIG;
  if (named) {
    return { file: namedConfig(resolve(request.workingDirectory, named)), trustedFolder: null, untrusted: [] };
  }

  const untrusted: string[] = [];
  for (const folder of upwardsFrom(request.workingDirectory)) {
    const file = configIn(folder);
    if (file === null || folder === request.home) continue;
    // The folder that Hermes itself lies in needs no trust: who can change the one can change the other.
    if (isOwnProject(folder) && isOwnFile(file)) return { file, trustedFolder: null, untrusted };
    if (isTrustedFolder(request.home, folder)) return { file, trustedFolder: folder, untrusted };
    untrusted.push(file);
  }
  return { file: configIn(request.home), trustedFolder: null, untrusted };
}

function namedConfig(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const file = isFolder ? configIn(path) : path;
  if (file === null || !existsSync(file)) throw new HermesError("CONFIG_NOT_FOUND", { tried: path });
  return file;
}
