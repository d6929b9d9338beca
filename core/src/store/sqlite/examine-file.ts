import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { HomeChannel } from "../../adapter/conversation.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { randomIds } from "../../base/ids.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import type { StoreReport } from "../store-report.ts";
import { DRIVER_WAIT_MS, isBusy } from "./busy.ts";
import { Connection } from "./connection.ts";
import { sqliteGateways } from "./gateways.ts";
import { TABLES_VERSION, versionOf } from "./migrations.ts";

export interface ExamineOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
  readonly signal: AbortSignal;
  /** Milliseconds that the check for damage may take; 8000 by default. */
  readonly lookThroughMs?: number;
}

/** Milliseconds to wait for a file that another process keeps busy. */
const BUSY_MS = 2_000;

/**
 * Examines a store's file without changing it, even while others write. Throws STORE_BUSY, and STORE_UNREADABLE for a
 * file that is not a store.
 */
export async function examineFile(options: ExamineOptions): Promise<StoreReport> {
  const { file, signal, lookThroughMs = 8_000 } = options;
  const size = sizeOf(file);
  const logSize = sizeOf(`${file}-wal`) ?? 0;
  const nothing = { version: TABLES_VERSION, damage: [], isIndexDamaged: false, content: null };
  const seen = { file, size, logSize, knownVersion: TABLES_VERSION };
  if (size === null) return { ...seen, ...nothing };
  const database = opened(file);
  try {
    const version = readably(file, () => versionOf(database, file));
    const damage = await lookThrough(file, lookThroughMs, signal);
    const isIndexDamaged = damage !== null && damage.length > 0 && damage.every((row) => row.includes("message_index"));
    const isWhole = damage === null || damage.length === 0 || isIndexDamaged;
    const content = isWhole && version === TABLES_VERSION ? await contentOf(database, options) : null;
    return { ...seen, version, damage, isIndexDamaged, content };
  } finally {
    database.close();
  }
}

function opened(file: string): Database {
  return readably(
    file,
    () => new SqliteDatabase(file, { readonly: true, fileMustExist: true, timeout: DRIVER_WAIT_MS }),
  );
}

async function contentOf(database: Database, { file, clock, probe }: ExamineOptions): Promise<StoreReport["content"]> {
  const giveUp = () => new HermesError("STORE_BUSY", { file, seconds: BUSY_MS / 1_000, holder: "another process" });
  const db = new Connection(database, { clock, random: Math.random, timeoutMs: BUSY_MS, giveUp });
  const gateways = sqliteGateways({ db, clock, probe, ids: randomIds });
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
    rows = [String(error.message)];
  }
  console.log(JSON.stringify(rows.filter((row) => row !== "ok")));
`;

/** Checks for damage, one line for each; null if the check did not end in time. */
async function lookThrough(file: string, timeoutMs: number, signal: AbortSignal): Promise<readonly string[] | null> {
  const driver = createRequire(import.meta.url).resolve("better-sqlite3");
  try {
    const run = promisify(execFile)(process.execPath, ["-e", LOOK_THROUGH, driver, file], {
      signal,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    return JSON.parse((await run).stdout) as string[];
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function readably<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HermesError) throw error;
    if (isBusy(error)) {
      throw new HermesError("STORE_BUSY", { file, seconds: DRIVER_WAIT_MS / 1_000, holder: "another process" });
    }
    throw new HermesError("STORE_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
}
