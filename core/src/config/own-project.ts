import { realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isTrustedFolder } from "./trusted-folders.ts";

/** The folder of the core that runs, with links resolved. */
export const CORE_FOLDER = realpathSync(join(dirname(fileURLToPath(import.meta.url)), "..", ".."));

/** The program that starts it. */
export const HERMES_BIN = join(CORE_FOLDER, "bin", "hermes.js");

/** Whether code that lies in `folder` may be run without being named: it is trusted, or Hermes' own project. */
export function mayRunCodeOf(folder: string, home: string): boolean {
  return isTrustedFolder(home, folder) || isOwnProject(folder);
}

/**
 * Whether the running hermes is installed under `folder`: then the folder's config is the one that was meant. It has
 * to lie there itself. A link to it proves nothing: a repository can bring one along, to where hermes is likely to be.
 * The root folder is nobody's project, and neither is one to which everybody may add files, such as `/tmp`.
 */
export function isOwnProject(folder: string, coreFolder = CORE_FOLDER): boolean {
  const real = realPathOf(folder);
  return real !== null && real !== dirname(real) && coreFolder.startsWith(real + sep) && !isForEverybody(real);
}

/** Who may change all that is in a folder could change hermes too; with the sticky bit they can only add to it. */
function isForEverybody(folder: string): boolean {
  return (statSync(folder).mode & 0o1002) === 0o1002;
}

/**
 * Whether `file` was put there by somebody who could as well have changed Hermes itself. In a folder that everybody
 * writes to, a stranger's config could lie above a project.
 */
export function isOwnFile(file: string, coreFolder = CORE_FOLDER): boolean {
  const me = process.getuid?.();
  if (me === undefined) return true;
  return [me, 0, statSync(coreFolder).uid].includes(statSync(file).uid);
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
