import { chmodSync, closeSync, openSync, readSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { HermesError } from "../../base/errors.ts";
import { isBusy } from "./busy.ts";
import { closeTurn } from "./close-turn.ts";
import type { Context, SqlValues } from "./connection.ts";
import { fileFault, isDiskFull, isOfFile } from "./file-fault.ts";
import type { TurnRow } from "./turn-rows.ts";

const HEADER = "SQLite format 3\0";

/** All pages in one step, so that the copy is a snapshot, and no writer makes it start again. */
const ALL_PAGES = 2 ** 30;

/** What a restored store must not continue automatically. */
export interface HeldBack {
  /** The number of unsent messages: they may have been sent since the copy. */
  readonly unsent: number;
  /** The number of people's messages without an answer. */
  readonly unanswered: number;
  readonly handoffs: number;
}

/** Whether a file is an SQLite database. */
export function isDatabase(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const header = Buffer.alloc(HEADER.length);
    return readSync(descriptor, header, 0, HEADER.length, 0) === HEADER.length && header.toString("latin1") === HEADER;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Copies a snapshot of a database, even while others write to it. Throws DISK_FULL, and STORE_UNREADABLE and STORE_FULL of
 * the database.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  try {
    const database = new SqliteDatabase(from, { fileMustExist: true, timeout: 5_000 });
    try {
      await database.backup(to, { progress: () => ALL_PAGES });
    } finally {
      database.close();
    }
  } catch (error) {
    if (isDiskFull(error, to)) throw new HermesError("DISK_FULL", { file: to }, { cause: error });
    throw isOfFile(error) ? fileFault(error, from) : error;
  }
  chmodSync(to, 0o600);
}

/** Throws STORE_UNREADABLE if a database is damaged. */
export function checkDatabase(file: string): void {
  try {
    const database = new SqliteDatabase(file, { fileMustExist: true });
    try {
      const found = database.pragma("integrity_check(1)", { simple: true });
      if (found !== "ok") throw new Error(String(found));
    } finally {
      database.close();
    }
  } catch (error) {
    throw fileFault(error, file);
  }
}

/** Locks a store exclusively until disposed of; null if some process has it open. */
export function lockAlone(file: string): Disposable | null {
  let database: Database | null = null;
  try {
    database = new SqliteDatabase(file, { fileMustExist: true, timeout: 0 });
    // Refused while any other process has the file open, even an idle one.
    database.pragma("locking_mode = EXCLUSIVE");
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    // A damaged file cannot be in use.
    database = null;
  }
  return { [Symbol.dispose]: () => void database?.close() };
}

/**
 * Prepares a store that was copied at `copiedAt` for use from `now` on. What it was about to do may have been done
 * since: unsent messages are held back as uncertain, waiting messages of people count
 * as done, handoffs as failed, open turns and offers are closed, no session goes anywhere by itself, and messages
 * written before now are no longer accepted.
 */
export function settleRestored(file: string, copiedAt: number, now: number): HeldBack {
  const database = new SqliteDatabase(file, { fileMustExist: true });
  try {
    const held = database.transaction(() => holdBack(database, copiedAt, now)).immediate();
    database.pragma("wal_checkpoint(TRUNCATE)");
    return held;
  } finally {
    database.close();
  }
}

function holdBack(database: Database, copiedAt: number, now: number): HeldBack {
  const run = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values).changes;
  const reason = `It waited when the backup of ${new Date(copiedAt).toISOString()} was made, and may have been sent since.`;
  // What was not offered may have been since.
  run(
    `UPDATE outbox SET by_hand_only = iif(offered_at IS NULL, 1, by_hand_only), offered_by = NULL, told_at = coalesce(told_at, ?)
     WHERE state IN ('failed', 'uncertain')`,
    now,
  );
  const waiting = "state IN ('queued', 'sending')";
  const { unsent } = database
    .prepare<[], { unsent: number }>(`SELECT count(DISTINCT message_id) AS unsent FROM outbox WHERE ${waiting}`)
    .get() ?? { unsent: 0 };
  run(
    `UPDATE outbox SET state = 'uncertain', error_code = 'PLATFORM_UNCERTAIN', error_text = ?, by_hand_only = 1,
       offered_by = NULL, told_at = ?
     WHERE ${waiting}`,
    reason,
    now,
  );
  const unanswered = run("UPDATE inbox SET state = 'done', message = NULL, done_at = ? WHERE done_at IS NULL", now);
  const handoffs = run(
    `UPDATE handoffs SET state = 'failed', ended_at = ?, error_code = 'HANDOFF_CANCELLED',
       error_text = 'A backup was restored while it was under way.', holder_id = NULL, holder = NULL, lease_until = NULL
     WHERE state IN ('pending', 'running')`,
    now,
  );
  // Somebody may have taken or refused them, and a session may have gone by itself.
  run("UPDATE asks SET state = 'expired', wanted_at = NULL, decided_at = ? WHERE state = 'open'", now);
  run("UPDATE sessions SET away = NULL WHERE away IS NOT NULL");
  closeOpenTurns(database, now);
  // They may have been used, or revoked, since the copy.
  run("UPDATE codes SET state = 'revoked', ended_at = ? WHERE state IN ('open', 'taken')", now);
  run("DELETE FROM leases");
  run("DELETE FROM gateways");
  run("DELETE FROM views");
  run("INSERT INTO restored (at) VALUES (?)", now);
  return { unsent, unanswered, handoffs };
}

/**
 * Closes each turn that was open. Somebody may have answered its questions since the copy, and its calls have run: nobody
 * goes on with it from here, and what people see of the questions stays as it is.
 */
function closeOpenTurns(database: Database, now: number): void {
  const db = {
    all: <Row>(sql: string, ...values: SqlValues) => database.prepare(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SqlValues) => database.prepare(sql).get(...values) as Row | undefined,
    run: (sql: string, ...values: SqlValues) => database.prepare(sql).run(...values).changes,
  };
  db.run("UPDATE approvals SET state = 'cancelled' WHERE state = 'open'");
  const clock = { now: () => now };
  for (const turn of db.all<TurnRow>("SELECT * FROM turns WHERE ended_at IS NULL")) {
    closeTurn({ db, clock } as unknown as Context, turn);
  }
}
