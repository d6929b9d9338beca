import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { nearestExisting } from "../../base/upwards-from.ts";
import { configIn } from "../../config/config-files.ts";
import { findConfig } from "../../config/find-config.ts";
import { isOwnFile, isOwnProject } from "../../config/own-project.ts";
import { isTrustedFolder, whyUnfit } from "../../config/trusted-folders.ts";
import { isUserFolder } from "../../host/home.ts";
import type { CliContext } from "../context.ts";

/** What is set up: a config that is there, or one that is going to be written. */
export interface Target {
  /** Where the config is, or is going to be; it may not be there yet. */
  readonly folder: string;
  /** The config that is there; null for a new one. */
  readonly file: string | null;
  /** It is found wherever no project has a config: the folder is Hermes' own home. */
  readonly isHome: boolean;
}

/**
 * Finds the config that is to be set up: the one that Hermes uses here, or that of `folder`. A new one goes into the
 * working directory, from a person's own folder into Hermes' home. Throws CONFIG_NOT_FOUND, CONFIG_NOT_TRUSTED,
 * INIT_FOLDER_UNFIT.
 */
export function findTarget({ io, configPath }: CliContext, home: string, wanted: string | null): Target {
  const { environment, workingDirectory } = io;
  const target = wanted === null ? usedHere() : inFolder(resolve(workingDirectory, wanted));
  requireFit(target, environment);
  return target;

  function usedHere(): Target {
    const { file, untrusted } = findConfig({ configPath, environment, workingDirectory, home });
    const [first] = untrusted;
    if (file !== null) return targetAt(dirname(file), file);
    if (first !== undefined && dirname(first) === resolve(workingDirectory)) {
      throw new HermesError("CONFIG_NOT_TRUSTED", { file: first });
    }
    return targetAt(isUserFolder(workingDirectory, environment) ? home : resolve(workingDirectory), null);
  }

  function inFolder(folder: string): Target {
    const file = configIn(folder);
    const isTrusted = folder === home || isTrustedFolder(home, folder) || isOwnProject(folder);
    if (file !== null && !(isTrusted && isOwnFile(file))) throw new HermesError("CONFIG_NOT_TRUSTED", { file });
    return targetAt(folder, file);
  }

  function targetAt(folder: string, file: string | null): Target {
    return { folder, file, isHome: folder === home };
  }
}

function requireFit({ folder, isHome }: Target, environment: NodeJS.ProcessEnv): void {
  if (isHome) return;
  const reason = isUserFolder(folder, environment)
    ? "it is your own folder, in which everything else lies"
    : whyUnfit(nearestExisting(folder), { isNew: !existsSync(folder) });
  if (reason !== null) throw new HermesError("INIT_FOLDER_UNFIT", { folder, reason });
}
