import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { HermesError } from "../../base/errors.ts";

/** The number of latest copies to keep. */
const KEPT = 3;

/** Times the file's size: once for the copy, and once more for an update that changes every page. */
const ROOM = 2;

const NAME = /^store-v\d+-\d+\.db$/;

/** A copy that is not complete; its process may have been killed. */
const DRAFT = /^store-v\d+-\d+\.db\.\d+\.part/;

/** Milliseconds after which nobody works on a draft any more. */
const DRAFT_LASTS_MS = 86_400_000;

/**
 * Copies the store into `folder` before its tables are migrated, and removes all but the last three copies there.
 * Returns the path of the copy, which may be that of another process that starts at the same time; null if that process
 * has migrated the tables already. Throws STORE_NO_ROOM_TO_UPDATE before anything is written.
 */
export function copyBeforeUpdate(database: Database, folder: string, version: number, now: number): string | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const needed = ROOM * sizeOf(database.name);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < needed) {
    const fields = { file: database.name, needed: megabytes(needed), free: megabytes(bavail * bsize) };
    throw new HermesError("STORE_NO_ROOM_TO_UPDATE", fields);
  }
  removeOldDrafts(folder, now);
  const copy = join(folder, `store-v${version}-${now}.db`);
  const draft = `${copy}.${process.pid}.part`;
  try {
    // One state of the file, even while others write.
    database.prepare("VACUUM INTO ?").run(draft);
    if (versionIn(draft) !== version) return null;
    const another = copiesIn(folder).find((name) => name.startsWith(`store-v${version}-`));
    if (another !== undefined && statSync(join(folder, another)).mtimeMs > now) return join(folder, another);
    makeDurable(draft);
    renameSync(draft, copy);
  } finally {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  }
  for (const old of copiesIn(folder).slice(KEPT)) rmSync(join(folder, old), { force: true });
  return copy;
}

/** The names of the complete copies, the latest first. */
function copiesIn(folder: string): string[] {
  const copies = readdirSync(folder).filter((name) => NAME.test(name));
  return copies.toSorted((one, other) => timeOf(other) - timeOf(one));
}

function removeOldDrafts(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((one) => DRAFT.test(one))) {
    if (timeOf(name) < now - DRAFT_LASTS_MS) rmSync(join(folder, name), { force: true });
  }
}

function versionIn(file: string): number {
  const database = new SqliteDatabase(file, { readonly: true });
  try {
    return Number(database.pragma("user_version", { simple: true }));
  } finally {
    database.close();
  }
}

/** SQLite does not sync such a copy. */
function makeDurable(file: string): void {
  chmodSync(file, 0o600);
  const descriptor = openSync(file, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function timeOf(name: string): number {
  return Number(/-(\d+)\.db/.exec(name)?.[1]);
}

function sizeOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
