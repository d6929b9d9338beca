import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../../base/process-identity.ts";
import { EVERY_SESSION, OPERATOR } from "../../model/session.ts";
import type { Store } from "../store.ts";
import { examineFile, findDamage } from "./examine-file.ts";
import { openSqliteStore } from "./index.ts";
import { emptyLog, rebuildIndex } from "./repair-file.ts";

const clock = createVirtualClock();
const { signal } = new AbortController();
const seen = { clock, probe: systemProcessProbe };
let folder: string;
let file: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-examine-"));
  file = join(folder, "hermes.db");
  store = await open();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openSqliteStore({ ...seen, file, ids: randomIds });

const holder = thisProcess("prc_1", "terminal");

async function write(text = "The tide turns at noon."): Promise<void> {
  const session = await store.sessions.create({ title: null, user: OPERATOR, origin: "terminal", originChat: null });
  const cause = { kind: "terminal" } as const;
  const message = { role: "user", text, surface: "terminal" } as const;
  const turn = { sessionId: session.id, holder, cause, surface: "terminal", leaseMs: 15_000, message } as const;
  await store.turns.startTurn(turn);
}

const damageOf = () => findDamage(file, 20_000, signal);

function change(sql: string): void {
  const database = new SqliteDatabase(file);
  database.unsafeMode();
  database.exec(sql);
  database.close();
}

describe("examineFile", () => {
  it("counts what is in a store while another process writes, and changes nothing", async () => {
    await write();
    const writer = new SqliteDatabase(file);
    writer.exec("BEGIN IMMEDIATE");
    const before = statSync(file).mtimeMs;
    const report = await examineFile({ ...seen, file });
    expect(report).toMatchObject({
      size: statSync(file).size,
      logSize: statSync(`${file}-wal`).size,
      content: { failed: 0, waiting: 0, notIndexed: 1, newestAt: clock.now(), alive: [], silent: [], homes: [] },
    });
    expect(report.version).toBe(report.knownVersion);
    expect(await damageOf()).toEqual({ rows: [], isOfIndex: false });
    expect(statSync(file).mtimeMs).toBe(before);
    writer.close();
  });

  it("a store that does not exist yet is not reported as damaged", async () => {
    const report = await examineFile({ ...seen, file: join(folder, "none.db") });
    expect(report).toMatchObject({ size: null, content: null });
  });

  it("examining reports the damage of a file with overwritten bytes", async () => {
    for (let at = 0; at < 60; at++) await write(`line ${at} ${"x".repeat(400)}`);
    await store.close();
    const descriptor = openSync(file, "r+");
    const end = statSync(file).size;
    for (let back = 1; back < 10; back++) writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, end - back * 4096);
    closeSync(descriptor);
    expect((await examineFile({ ...seen, file })).content).toBeNull();
    const damage = await damageOf();
    expect(damage?.rows.length).toBeGreaterThan(0);
    expect(damage?.isOfIndex).toBe(false);
  });

  it.each([
    ["text", () => writeFileSync(file, "This was a store. ".repeat(500)), "file is not a database"],
    ["another program's", () => change("PRAGMA application_id = 7"), "it is the database of another program"],
  ])("throws for a file that is %s", async (_what, damage, reason) => {
    await store.close();
    damage();
    await expect(examineFile({ ...seen, file })).rejects.toThrow(reason);
  });

  it("a check reports the damage of a truncated file", async () => {
    await write();
    await store.close();
    truncateSync(file, 6_000);
    expect((await damageOf())?.rows.length).toBeGreaterThan(0);
  });

  it("throws for a file that another program locks for good", async () => {
    await store.close();
    const other = new SqliteDatabase(file);
    other.pragma("locking_mode = EXCLUSIVE");
    other.exec("BEGIN EXCLUSIVE");
    const refused = expect(examineFile({ ...seen, file })).rejects.toMatchObject({ code: "STORE_BUSY" });
    for (let at = 0; at < 30; at++) await clock.advance(200);
    await refused;
    other.close();
  });

  it("examining reads nothing from the tables of another version", async () => {
    await store.close();
    change("PRAGMA user_version = 99");
    expect(await examineFile({ ...seen, file })).toMatchObject({ version: 99, content: null });
  });

  it("a check for damage that takes too long reports nothing", async () => {
    expect(await findDamage(file, 1, signal)).toBeNull();
  });
});

describe("a repair", () => {
  it("finds every message again after a damaged index was built anew", async () => {
    await write();
    expect(await store.transcripts.search({ text: "tide", visible: EVERY_SESSION, limit: 5 })).toHaveLength(1);
    await store.close();
    change("UPDATE message_index_data SET block = x'00ff00ff00ff' WHERE id > 10");
    expect(await damageOf()).toMatchObject({ isOfIndex: true });
    rebuildIndex(file);
    expect(await damageOf()).toEqual({ rows: [], isOfIndex: false });
    expect(await examineFile({ ...seen, file })).toMatchObject({ content: { notIndexed: 1 } });
    store = await open();
    expect(await store.transcripts.search({ text: "tide", visible: EVERY_SESSION, limit: 5 })).toHaveLength(1);
  });

  it("empties the write-ahead log once nobody reads an old state of the file", async () => {
    await write();
    const reader = new SqliteDatabase(file);
    reader.exec("BEGIN; SELECT * FROM sessions");
    reader.prepare("SELECT * FROM sessions").all();
    await write();
    expect(emptyLog(file)).toBe(false);
    reader.close();
    expect(emptyLog(file)).toBe(true);
    expect(statSync(`${file}-wal`).size).toBe(0);
  });
});
