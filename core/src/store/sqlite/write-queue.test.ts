import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HermesError } from "../../base/errors.ts";
import { DRIVER_WAIT_MS } from "./busy.ts";
import { Connection } from "./connection.ts";

let folder: string;
let clock: VirtualClock;
let database: Database;
let db: Connection;
/** Milliseconds by which the clock advances during a write. */
let spentMs: number;
/** How often the file was waited for until the time was up. */
let waits: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-queue-"));
  clock = createVirtualClock();
  spentMs = 0;
  waits = 0;
  const file = join(folder, "hermes.db");
  database = new SqliteDatabase(file, { timeout: DRIVER_WAIT_MS });
  database.pragma("journal_mode = WAL");
  database.exec("CREATE TABLE said (number INTEGER)");
  const giveUp = () => {
    waits++;
    return new HermesError("STORE_BUSY", { file, seconds: 5, holder: "another process" });
  };
  db = new Connection(database, {
    clock: { ...clock, steady: () => ({ boot: null, ms: clock.steady().ms + spentMs }) },
    random: () => 0.5,
    timeoutMs: 5000,
    giveUp,
  });
});

afterEach(async () => {
  db.close();
  await rm(folder, { recursive: true });
});

const say = (number: number) => db.write(() => db.run("INSERT INTO said VALUES (?)", number));
const sayMany = (count: number) => Promise.allSettled(Array.from({ length: count }, (_, number) => say(number)));
const refused = () =>
  db.write(() => {
    throw new TypeError("refused");
  });

/** The file's content, as another connection sees it. */
function said(): number[] {
  const other = new SqliteDatabase(join(folder, "hermes.db"), { readonly: true });
  try {
    return other.prepare<[], number>("SELECT number FROM said ORDER BY rowid").pluck().all();
  } finally {
    other.close();
  }
}

describe("many writes that are asked for at once", () => {
  it("concurrent writes are stored once, in order, even if one of them fails", async () => {
    const before = sayMany(100);
    const refusing = expect(refused()).rejects.toThrow("refused");
    const after = say(100);
    await Promise.all([before, refusing, after]);
    expect(said()).toEqual(Array.from({ length: 101 }, (_, number) => number));
  });

  it("queued writes time out together, without one attempt each", async () => {
    const other = new SqliteDatabase(join(folder, "hermes.db"));
    other.exec("BEGIN IMMEDIATE");
    const writing = sayMany(300);
    await clock.advance(5_100);
    const results = await writing;
    // Each would hold up all else for as long as the driver waits.
    expect(waits).toBe(1);
    expect(results.map((result) => result.status === "rejected" && result.reason.code)).toEqual(
      Array.from({ length: 300 }, () => "STORE_BUSY"),
    );
    other.close();
    await say(300);
    expect(said()).toEqual([300]);
  });

  it("slow writes run in separate transactions, so that other work runs in between", async () => {
    const slow = (number: number) =>
      db.write(() => {
        // Simulates a write of a long text.
        spentMs += 5;
        return db.run("INSERT INTO said VALUES (?)", number);
      });
    const writing = Promise.all(Array.from({ length: 40 }, (_, number) => slow(number)));
    let turns = 0;
    let isDone = false;
    void writing.then(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await new Promise(setImmediate);
    expect(turns).toBeGreaterThanOrEqual(20);
    expect(said()).toHaveLength(40);
  });
});

describe("writes that were asked for just before the file is closed", () => {
  it("writes queued before the file is closed are stored, even if one fails", async () => {
    const before = sayMany(100);
    const refusing = expect(refused()).rejects.toThrow("refused");
    const after = say(100);
    db.close();
    await Promise.all([before, refusing, after]);
    expect(said()).toEqual(Array.from({ length: 101 }, (_, number) => number));
  });
});
