import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { HomeChannel } from "../../adapter/conversation.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { randomIds } from "../../base/ids.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import type { StoreContent, StoreDamage, StoreReport } from "../store-report.ts";
import { DRIVER_WAIT_MS } from "./busy.ts";
import { Connection } from "./connection.ts";
import { readably } from "./file-fault.ts";
import { sqliteGateways } from "./gateways.ts";
import { TABLES_VERSION, versionOf } from "./migrations.ts";

export interface ExamineOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
}

/** Milliseconds to wait for a file that another process keeps busy. */
const BUSY_MS = 2_000;

/**
 * Examines a store's file without changing it, even while others write. Throws STORE_BUSY, and STORE_UNREADABLE for a
 * file that is not a store.
 */
export async function examineFile(options: ExamineOptions): Promise<StoreReport> {
  const { file, clock } = options;
  const size = sizeOf(file);
  const logSize = sizeOf(`${file}-wal`) ?? 0;
  const seen = { file, size, logSize, knownVersion: TABLES_VERSION };
  if (size === null) return { ...seen, version: TABLES_VERSION, content: null };
  const giveUp = () => new HermesError("STORE_BUSY", { file, seconds: BUSY_MS / 1_000, holder: "another process" });
  const database = readably(file, () => opened(file));
  try {
    const db = new Connection(database, { clock, random: Math.random, timeoutMs: BUSY_MS, giveUp });
    const version = await db.read(() => readably(file, () => versionOf(database, file)));
    return { ...seen, version, content: version === TABLES_VERSION ? await wholeContentOf(db, options) : null };
  } finally {
    database.close();
  }
}

function opened(file: string): Database {
  return new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: DRIVER_WAIT_MS });
}

/** Null if the file is damaged. */
async function wholeContentOf(db: Connection, options: ExamineOptions): Promise<StoreContent | null> {
  try {
    return await contentOf(db, options);
  } catch (error) {
    if (error instanceof HermesError && error.code === "STORE_UNREADABLE") return null;
    throw error;
  }
}

/** Nothing is found by a code from outside. */
function noKey(): never {
  throw new Error("codes are not looked up here");
}

async function contentOf(db: Connection, { clock, probe }: ExamineOptions): Promise<StoreContent> {
  const gateways = sqliteGateways({ db, clock, probe, ids: randomIds, codeKey: noKey });
  const number = (sql: string) => db.get<{ number: number | null }>(`SELECT (${sql}) AS number`)?.number ?? 0;
  const counts = await db.read(() => ({
    waiting: number("SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')"),
    failed: number("SELECT count(*) FROM outbox WHERE state = 'failed'"),
    notIndexed: number("SELECT count(*) FROM messages WHERE number > (SELECT up_to FROM indexed)"),
    newestAt: Math.max(
      number("SELECT created_at FROM messages ORDER BY number DESC LIMIT 1"),
      number("SELECT max(updated_at) FROM sessions"),
      number("SELECT max(heartbeat_at) FROM gateways"),
    ),
    homes: db
      .all<{ platform: string; account: string; home: string }>("SELECT platform, account, home FROM homes")
      .map(({ platform, account, home }) => ({
        platform,
        account: account === "" ? undefined : account,
        home: JSON.parse(home) as HomeChannel,
      })),
  }));
  return { ...counts, alive: await gateways.alive(), silent: await gateways.silent() };
}

/** The check for damage, as a script for a process that can be killed: SQLite blocks its process until the check ends. */
const LOOK_THROUGH = `
  const [driver, file] = process.argv.slice(1);
  let rows;
  try {
    const database = new (require(driver))(file, { readonly: true, fileMustExist: true, timeout: ${BUSY_MS} });
    rows = database.pragma("quick_check(20)").map((row) => String(Object.values(row)[0]));
  } catch (error) {
    if (String(error.code).startsWith("SQLITE_BUSY")) process.exit(1);
    rows = [String(error.message)];
  }
  console.log(JSON.stringify(rows.filter((row) => row !== "ok")));
`;

/**
 * Checks a store's file for damage. Null if the check did not end within `timeoutMs` milliseconds: the file is large, or
 * others keep it busy.
 */
export async function findDamage(file: string, timeoutMs: number, signal: AbortSignal): Promise<StoreDamage | null> {
  const driver = createRequire(import.meta.url).resolve("better-sqlite3");
  const options = { signal, timeout: timeoutMs, killSignal: "SIGKILL" } as const;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", LOOK_THROUGH, driver, file], options);
    const rows = JSON.parse(stdout) as string[];
    return { rows, isOfIndex: rows.length > 0 && rows.every((row) => row.includes("message_index")) };
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}
