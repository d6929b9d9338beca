import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { upwardsFrom } from "../base/upwards-from.ts";
import { contentOf } from "./content.ts";
import { isOwnFile, isOwnProject } from "./own-project.ts";
import { trustOfInstructions } from "./trusted-folders.ts";

/** The file of a folder that tells agents how to work there. */
export const INSTRUCTIONS = "AGENTS.md";

/** The most that instructions have together, in UTF-16 units. */
const MOST = 32 * 1024;

export interface Instructions {
  readonly file: string;
  readonly text: string;
}

/** The instructions that hold in a folder. */
export interface FolderInstructions {
  /** The outermost folder's first. */
  readonly used: readonly Instructions[];
  /** Those that are not read: their folder is not trusted, or they are not as they were when it was. */
  readonly leftOut: readonly {
    readonly file: string;
    readonly folder: string;
    readonly why: "untrusted" | "changed";
  }[];
}

/**
 * Finds the `AGENTS.md` of a folder and of those above it, up to its repository's root and in trusted folders beyond. Only
 * what was trusted, as it was then, is read: it may come from anybody, and the agent does what it says.
 */
export function folderInstructions(home: string, directory: string): FolderInstructions {
  const used: Instructions[] = [];
  const leftOut: FolderInstructions["leftOut"][number][] = [];
  let isInside = true;
  for (const folder of upwardsFrom(realPath(directory))) {
    const file = join(folder, INSTRUCTIONS);
    const text = contentOf(file);
    if (text !== null && text.trim() !== "") {
      const trust = isOwnProject(folder) && isOwnFile(file) ? "trusted" : trustOfInstructions(home, folder, file, text);
      if (trust === "trusted") used.unshift({ file, text });
      else if (isInside) leftOut.unshift({ file, folder, why: trust });
    }
    isInside &&= !existsSync(join(folder, ".git")) && isInRepository(folder);
  }
  return { used: shortened(used), leftOut };
}

function isInRepository(folder: string): boolean {
  return [...upwardsFrom(folder)].some((one) => existsSync(join(one, ".git")));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Cuts what is too long together, at the end of the last one that has room. */
function shortened(all: readonly Instructions[]): Instructions[] {
  let left = MOST;
  return all.map(({ file, text }) => {
    const kept = text.slice(0, Math.max(0, left));
    left -= text.length;
    return { file, text: kept === text ? text : `${kept}\n[the rest was cut: instructions may have 32 KB together]` };
  });
}
