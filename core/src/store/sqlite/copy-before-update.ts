import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { HermesError } from "../../base/errors.ts";

/** The number of latest copies to keep. */
const KEPT = 3;

/** Times the file's size: once for the copy, and once more for an update that changes every page. */
const ROOM = 2;

const NAME = /^store-v\d+-\d+\.db$/;

/**
 * Copies the store into `folder` before its tables are migrated, and removes all but the last three copies there.
 * Returns the path of the copy. Throws STORE_NO_ROOM_TO_UPDATE before anything is written.
 */
export function copyBeforeUpdate(database: Database, folder: string, version: number, now: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const needed = ROOM * sizeOf(database.name);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < needed) {
    const fields = { file: database.name, needed: megabytes(needed), free: megabytes(bavail * bsize) };
    throw new HermesError("STORE_NO_ROOM_TO_UPDATE", fields);
  }
  const copy = join(folder, `store-v${version}-${now}.db`);
  try {
    // Atomic, even while others write: the copy is complete, or does not exist.
    database.prepare("VACUUM INTO ?").run(copy);
    chmodSync(copy, 0o600);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  const copies = readdirSync(folder).filter((name) => NAME.test(name));
  const byAge = copies.toSorted((one, other) => timeOf(other) - timeOf(one));
  for (const old of byAge.slice(KEPT)) rmSync(join(folder, old), { force: true });
  return copy;
}

function timeOf(name: string): number {
  return Number(/-(\d+)\.db$/.exec(name)?.[1]);
}

function sizeOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
