import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { isFileHash } from "../base/file-ref.ts";
import { filesFolder } from "./file-store.ts";

/** Milliseconds for which a file stays that no row names: whoever kept it may be about to write the row. */
const ORPHANED_MS = 24 * 60 * 60 * 1000;

/** As short as that when a session was just deleted: its rows are gone, and a row is written right behind its file. */
const JUST_KEPT_MS = 900_000;

/** Files that are asked about at once. */
const STEP = 500;

/** Tells which of some hashes are named by a row: a part of the store. */
export interface NamedFiles {
  named(hashes: readonly string[]): Promise<readonly string[]>;
}

/** Deletes the files that no row names and that were kept more than a day ago, and what was left half written. */
export async function pruneFiles(home: string, clock: Pick<Clock, "now">, rows: NamedFiles): Promise<void> {
  const folder = filesFolder(home);
  const keptBefore = clock.now() - ORPHANED_MS;
  const old = (await filesIn(folder, await namesIn(folder))).filter(({ keptAt }) => keptAt < keptBefore);
  for (const { name } of old) if (name.endsWith(".new")) await rm(join(folder, name), { force: true });
  const hashes = old.map(({ name }) => name).filter(isFileHash);
  await dropUnnamed(folder, hashes, rows);
}

/** Deletes those of the files of rows that were just deleted that no row names any more. */
export async function dropFiles(
  home: string,
  clock: Pick<Clock, "now">,
  { hashes, rows }: { readonly hashes: readonly string[]; readonly rows: NamedFiles },
): Promise<void> {
  const folder = filesFolder(home);
  const keptBefore = clock.now() - JUST_KEPT_MS;
  const found = await filesIn(folder, [...new Set(hashes)].filter(isFileHash));
  const old = found.filter(({ keptAt }) => keptAt < keptBefore).map(({ name }) => name);
  await dropUnnamed(folder, old, rows);
}

async function filesIn(folder: string, names: readonly string[]) {
  const files: { readonly name: string; readonly keptAt: number }[] = [];
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true) files.push({ name, keptAt: found.mtimeMs });
  }
  return files;
}

async function dropUnnamed(folder: string, hashes: readonly string[], rows: NamedFiles): Promise<void> {
  for (let at = 0; at < hashes.length; at += STEP) {
    const some = hashes.slice(at, at + STEP);
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
