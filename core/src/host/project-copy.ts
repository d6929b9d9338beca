import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { upwardsFrom } from "../base/upwards-from.ts";
import { CORE_FOLDER, isOwnProject } from "../config/own-project.ts";
import { isTrustedFolder } from "../config/trusted-folders.ts";
import { packageFolder } from "../plugin/package-json.ts";
import { hermesHome, isHomeSafe } from "./home.ts";

export interface CopyRequest {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** The copy that was started. */
  readonly ownFolder?: string;
}

/**
 * Finds the copy of core to run: the project's own, if it has one. Plugins import that copy, and two copies in one
 * process share no classes. As with configs, a folder's copy is run only if the config was named or the folder is
 * trusted: a cloned repository must not supply the program, and is skipped.
 */
export function copyToRun({ args, environment, workingDirectory, ownFolder = CORE_FOLDER }: CopyRequest): string {
  const named = namedConfig(args) ?? environment.HERMES_CONFIG;
  if (named) return coreOf(resolve(workingDirectory, named)) ?? ownFolder;
  const home = hermesHome(environment);
  for (const folder of upwardsFrom(workingDirectory)) {
    if (isOwnProject(folder, ownFolder)) return ownFolder;
    const hasCopy = existsSync(join(folder, "node_modules/@hermes/core"));
    if (!hasCopy || !isTrustedFolder(home, folder)) continue;
    // If the home is unsafe, others may have written the list of trusted folders. The command that runs reports that.
    return isHomeSafe(home) ? (coreOf(folder) ?? ownFolder) : ownFolder;
  }
  return ownFolder;
}

function namedConfig(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const options = end < 0 ? args : args.slice(0, end);
  const position = options.indexOf("--config");
  if (position >= 0) return options[position + 1];
  return options.find((option) => option.startsWith("--config="))?.slice("--config=".length);
}

/** The folder of the core that an import from `place` would find, or null. */
export function coreOf(place: string): string | null {
  const folder = packageFolder("@hermes/core", place);
  return folder === null ? null : realpathSync(folder);
}
