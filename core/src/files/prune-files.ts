import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { isFileHash } from "../base/file-ref.ts";
import { filesFolder } from "./file-store.ts";

/** Milliseconds for which a file stays that no row names: whoever kept it may be about to write the row. */
const ORPHANED_MS = 24 * 60 * 60 * 1000;

/** As short as that when a session was just deleted: its rows are gone, and a row is written right behind its file. */
const JUST_KEPT_MS = 60_000;

/** Files that are asked about at once. */
const STEP = 500;

/** Tells which of some hashes are named by a row: a part of the store. */
export interface NamedFiles {
  named(hashes: readonly string[]): Promise<readonly string[]>;
}

/** Deletes the files that no row names and that were kept more than a day ago, and what was left half written. */
export async function pruneFiles(home: string, clock: Pick<Clock, "now">, rows: NamedFiles): Promise<void> {
  await dropUnnamed(home, clock.now() - ORPHANED_MS, rows);
}

/** Deletes the files that no row names any more, after rows that named some were deleted. */
export async function dropFiles(home: string, clock: Pick<Clock, "now">, rows: NamedFiles): Promise<void> {
  await dropUnnamed(home, clock.now() - JUST_KEPT_MS, rows);
}

async function dropUnnamed(home: string, keptBefore: number, rows: NamedFiles): Promise<void> {
  const folder = filesFolder(home);
  const old: string[] = [];
  for (const name of await namesIn(folder)) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() !== true || found.mtimeMs >= keptBefore) continue;
    if (isFileHash(name)) old.push(name);
    else if (name.endsWith(".new")) await rm(join(folder, name), { force: true });
  }
  for (let at = 0; at < old.length; at += STEP) {
    const some = old.slice(at, at + STEP);
    const named = new Set(await rows.named(some));
    for (const hash of some) if (!named.has(hash)) await rm(join(folder, hash), { force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
