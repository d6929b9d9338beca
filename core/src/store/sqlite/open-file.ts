import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { Clock } from "../../base/clock.ts";
import { HermesError, reasonOf } from "../../base/errors.ts";
import type { RowRedaction } from "../../base/row-redaction.ts";
import { type BusyPolicy, DRIVER_WAIT_MS, isBusy, untilFree } from "./busy.ts";
import { copyBeforeUpdate } from "./copy-before-update.ts";
import { readably } from "./file-fault.ts";
import { LOG_LIMIT } from "./log-keeper.ts";
import { migrate } from "./migrations.ts";

/** The pages that a connection keeps in memory, in KiB. The driver's 16 MiB double what a gateway of text holds. */
const CACHE_KIB = 4_000;

/**
 * Pages in the write-ahead log before they are copied into the file, for which the disk is waited for twice. SQLite's 1,000
 * are the writes of sixty messages, and most of those pages are written again by the next sixty.
 */
const LOG_PAGES = 4_000;

export interface OpenFileOptions {
  readonly durability: "normal" | "full";
  readonly redaction: RowRedaction;
  /** The folder for a copy of the file before its tables are migrated; without it, no copy is made. */
  readonly copies?: string | undefined;
}

/**
 * Opens the file, and creates it if it is missing. Only its owner may read it, since it holds what people say to their
 * agent. Throws STORE_UNREADABLE, STORE_TOO_NEW, STORE_BUSY, STORE_NO_ROOM_TO_UPDATE, STORE_UPDATE_FAILED.
 */
export async function openFile(
  file: string,
  options: OpenFileOptions,
  policy: Omit<BusyPolicy, "giveUp">,
): Promise<Database> {
  const giveUp = () =>
    new HermesError("STORE_BUSY", { file, seconds: policy.timeoutMs / 1000, holder: "another process" });
  const database = readably(file, () => {
    makePrivate(file);
    return new SqliteDatabase(file, { timeout: DRIVER_WAIT_MS });
  });
  const update = updateOf(database, file, options, policy.clock);
  try {
    await untilFree(
      () => readably(file, () => prepare(database, update, options.durability)),
      policy.clock.steady().ms,
      {
        ...policy,
        giveUp,
      },
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Migrates the tables, and copies the file before that: only once, even if a busy file is retried. */
function updateOf(database: Database, file: string, { redaction, copies }: OpenFileOptions, clock: Clock): () => void {
  let copy: string | null = null;
  return () => {
    try {
      migrate(database, file, redaction, (version) => {
        if (copies !== undefined) copy ??= copyBeforeUpdate(database, copies, version, clock.now());
      });
    } catch (error) {
      if (copy === null || error instanceof HermesError || isBusy(error)) throw error;
      throw new HermesError("STORE_UPDATE_FAILED", { file, copy, reason: reasonOf(error) }, { cause: error });
    }
  };
}

function prepare(database: Database, update: () => void, durability: "normal" | "full"): void {
  // Before switching to WAL, which would change the database of another program for good.
  update();
  const mode = database.pragma("journal_mode = WAL", { simple: true });
  if (mode !== "wal") throw new Error(`its file system takes no write-ahead log (journal mode ${mode})`);
  database.pragma(`synchronous = ${durability}`);
  database.pragma(`cache_size = -${CACHE_KIB}`);
  database.pragma("foreign_keys = ON");
  database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  database.pragma(`journal_size_limit = ${LOG_LIMIT}`);
}

function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Created here, since SQLite would follow the umask; its side files get the mode of this one. An existing file must not
  // be opened: closing it would release every lock that this process holds on it through another connection.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) chmodSync(path, 0o600);
  }
}
