import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ToolContext } from "../../agent/agent.ts";
import { reasonOf } from "../../base/errors.ts";
import { HeldFolder } from "./held-folder.ts";

/** A file or folder below a checked folder. */
export interface CheckedPath {
  /** The checked folder. */
  readonly root: string;
  /** The names that lead from the root to it, all links followed; empty for the root itself. */
  readonly way: readonly string[];
  /** Its absolute path without links. */
  readonly real: string;
  /** The path that the model wrote. */
  readonly shown: string;
}

/** Finds what `path` names below the session's directory. Throws where there is no directory, or `path` leads out of it. */
export function checkedPath(path: string, { directory }: ToolContext): CheckedPath {
  if (directory === null) {
    throw new Error("This session has no directory, so that it has no files. Nothing was opened.");
  }
  const root = realRoot(directory);
  const place = checkedPathBelow(root, resolve(directory, path), path);
  if (place !== null) return place;
  throw new Error(`${path} is outside of the session's directory (${directory}). It was not opened.`);
}

/** The session's directory without links. Throws where it is not on this machine. */
function realRoot(directory: string): string {
  try {
    return realpathSync.native(directory);
  } catch {
    throw new Error(`The session's directory (${directory}) is not on this machine. Nothing was opened.`);
  }
}

/** Finds an absolute path below `root`; null where it leads out of it. */
export function checkedPathBelow(root: string, path: string, shown: string): CheckedPath | null {
  const real = realTarget(path);
  const way = relative(root, real);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) return null;
  return { root, way: way === "" ? [] : way.split(sep), real, shown };
}

/** The real path of what is there, and of what is not there yet as if it were made. */
function realTarget(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realTarget(parent), basename(path));
  }
}

/** Holds the folder that has the place in it, and calls `use` with it and the name there. Folders are made if `isMade`. */
export function inFolderOf<T>(
  place: CheckedPath,
  use: (folder: HeldFolder, name: string) => T,
  { isMade = false }: { readonly isMade?: boolean } = {},
): T {
  const name = place.way.at(-1);
  if (name === undefined) throw new Error(`${place.shown} is a folder.`);
  return explaining(place.shown, () => {
    using folder = heldAt(place.root, place.way.slice(0, -1), isMade);
    return use(folder, name);
  });
}

/** Holds the folder that the place is. The caller disposes of it. */
export function heldFolder({ root, way, shown }: CheckedPath): HeldFolder {
  return explaining(shown, () => heldAt(root, way, false));
}

function heldAt(root: string, way: readonly string[], isMade: boolean): HeldFolder {
  let held = HeldFolder.open(root);
  for (const name of way) {
    using parent = held;
    held = parent.folder(name, { isMade });
  }
  return held;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  ENOTDIR: "is no folder, or a part of its path is none",
  EISDIR: "is a folder",
  ELOOP: "became a link while it was opened",
  EACCES: "may not be opened by this user",
  EPERM: "may not be changed by this user",
  EROFS: "is on a read-only file system",
  ENOSPC: "does not fit on the disk",
  ENXIO: "is no ordinary file",
};

/** Runs `work`; an error of the file system is told about the path that the model wrote. */
function explaining<T>(shown: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const reason = REASONS[String(error.code)];
    throw new Error(`${shown} ${reason ?? `cannot be opened: ${reasonOf(error)}`}.`, { cause: error });
  }
}
