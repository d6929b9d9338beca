import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { randomIds } from "../../base/ids.ts";
import { sizeText } from "../../base/text.ts";
import { type CheckedPath, inFolderOf } from "./checked-path.ts";
import type { HeldFolder } from "./held-folder.ts";

/** A file as it was found. */
export interface FoundFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

/** In bytes: a larger file is not written by the model. */
const LARGEST = 10 * 1024 * 1024;

/** Reads a file that may be written to; null where there is none. Throws where it is no ordinary file, or too large. */
export function foundFile(place: CheckedPath): FoundFile | null {
  let handle: number;
  try {
    handle = inFolderOf(place, (folder, name) => folder.open(name));
  } catch (error) {
    if (error instanceof Error && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return null;
    throw error;
  }
  try {
    const stats = fstatSync(handle, { bigint: true });
    if (!stats.isFile()) throw new Error(`${place.shown} is no ordinary file.`);
    if (stats.size > LARGEST) {
      throw new Error(`${place.shown} has ${sizeText(Number(stats.size))}; the most is ${sizeText(LARGEST)}.`);
    }
    return { bytes: readFileSync(handle), stats };
  } finally {
    closeSync(handle);
  }
}

/**
 * Puts `bytes` in the place of the file that was found, or makes it with its folders where there was none. Writes beside it
 * and renames; keeps mode and owner. Throws where the file is not the one that was found any more. A write of somebody else
 * in the microseconds between this check and the renaming is lost.
 */
export function replaceContent(place: CheckedPath, bytes: Uint8Array, found: FoundFile | null): void {
  const replace = (folder: HeldFolder, name: string) => {
    // A renaming would replace a file that its owner made read-only.
    if (found !== null) closeSync(folder.open(name, constants.O_WRONLY));
    const draft = folder.child(`.${randomIds.next("hermes")}.new`);
    try {
      writeDraft(folder, draft, bytes, found);
      if (!isStill(folder.child(name), found)) {
        throw new Error(`${place.shown} was changed by somebody else meanwhile. Nothing was written: read it again.`);
      }
      renameSync(draft, folder.child(name));
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  };
  inFolderOf(place, replace, { isMade: true });
}

/** Takes away the file that was found. Throws where it is another one by now, as {@link replaceContent} does. */
export function removeContent(place: CheckedPath, found: FoundFile): void {
  inFolderOf(place, (folder, name) => {
    if (!isStill(folder.child(name), found)) throw new Error(`${place.shown} was changed by somebody else meanwhile.`);
    rmSync(folder.child(name));
  });
}

function writeDraft(folder: HeldFolder, draft: string, bytes: Uint8Array, found: FoundFile | null): void {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const name = draft.slice(draft.lastIndexOf("/") + 1);
  const handle = folder.open(name, O_WRONLY | O_CREAT | O_EXCL, found === null ? 0o666 : 0o600);
  try {
    writeFileSync(handle, bytes);
    if (found === null) return;
    const { uid, gid, mode } = found.stats;
    const own = fstatSync(handle, { bigint: true });
    if (own.uid !== uid || own.gid !== gid) fchownSync(handle, Number(uid), Number(gid));
    fchmodSync(handle, Number(mode) & 0o7777);
  } finally {
    closeSync(handle);
  }
}

function isStill(path: string, found: FoundFile | null): boolean {
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined || found === null) return now === undefined && found === null;
  const { dev, ino, size, ctimeNs } = found.stats;
  return now.dev === dev && now.ino === ino && now.size === size && now.ctimeNs === ctimeNs;
}
