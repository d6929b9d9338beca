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
import { examineFile } from "./examine-file.ts";
import { openSqliteStore } from "./index.ts";
import { emptyLog, rebuildIndex } from "./repair-file.ts";

const clock = createVirtualClock();
const { signal } = new AbortController();
const seen = { clock, probe: systemProcessProbe, signal };
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

function change(sql: string): void {
  const database = new SqliteDatabase(file);
  database.unsafeMode();
  database.exec(sql);
  database.close();
}

describe("examineFile", () => {
  it("examining counts rows while another process writes, and changes nothing", async () => {
    await write();
    const writer = new SqliteDatabase(file);
    writer.exec("BEGIN IMMEDIATE");
    const before = statSync(file).mtimeMs;
    const report = await examineFile({ ...seen, file });
    expect(report).toMatchObject({
      damage: [],
      size: statSync(file).size,
      logSize: statSync(`${file}-wal`).size,
      content: { failed: 0, waiting: 0, notIndexed: 1, newestAt: clock.now(), alive: [], silent: [], homes: [] },
    });
    expect(report.version).toBe(report.knownVersion);
    expect(statSync(file).mtimeMs).toBe(before);
    writer.close();
  });

  it("a store that does not exist yet is not reported as damaged", async () => {
    const report = await examineFile({ ...seen, file: join(folder, "none.db") });
    expect(report).toMatchObject({ size: null, damage: [], content: null });
  });

  it("examining reports the damage of a file with overwritten bytes", async () => {
    for (let at = 0; at < 60; at++) await write(`line ${at} ${"x".repeat(400)}`);
    await store.close();
    const descriptor = openSync(file, "r+");
    const end = statSync(file).size;
    for (let back = 1; back < 10; back++) writeSync(descriptor, Buffer.alloc(4096, 0x5a), 0, 4096, end - back * 4096);
    closeSync(descriptor);
    const { damage, isIndexDamaged, content } = await examineFile({ ...seen, file });
    expect(damage?.length).toBeGreaterThan(0);
    expect({ isIndexDamaged, content }).toEqual({ isIndexDamaged: false, content: null });
  });

  it.each([
    ["text", () => writeFileSync(file, "This was a store. ".repeat(500)), "file is not a database"],
    ["another program's", () => change("PRAGMA application_id = 7"), "it is the database of another program"],
  ])("examining throws for a file that is %s", async (_what, damage, reason) => {
    await store.close();
    damage();
    await expect(examineFile({ ...seen, file })).rejects.toThrow(reason);
  });

  it("examining a truncated file throws or reports the damage", async () => {
    await write();
    await store.close();
    truncateSync(file, 6_000);
    const report = await examineFile({ ...seen, file }).catch((error: Error) => ({ damage: [error.message] }));
    expect(report.damage?.length).toBeGreaterThan(0);
  });

  it("examining reads nothing from the tables of another version", async () => {
    await store.close();
    change("PRAGMA user_version = 99");
    expect(await examineFile({ ...seen, file })).toMatchObject({ version: 99, damage: [], content: null });
  });

  it("a check for damage that takes too long is left out, and the rest is reported", async () => {
    const report = await examineFile({ ...seen, file, lookThroughMs: 1 });
    expect(report).toMatchObject({ damage: null, content: { failed: 0 } });
  });
});

describe("a repair", () => {
  it("a search finds every message again after a damaged index was rebuilt", async () => {
    await write();
    expect(await store.transcripts.search({ text: "tide", visible: EVERY_SESSION, limit: 5 })).toHaveLength(1);
    await store.close();
    change("UPDATE message_index_data SET block = x'00ff00ff00ff' WHERE id > 10");
    expect(await examineFile({ ...seen, file })).toMatchObject({ isIndexDamaged: true });
    rebuildIndex(file);
    expect(await examineFile({ ...seen, file })).toMatchObject({ damage: [], content: { notIndexed: 1 } });
    store = await open();
    expect(await store.transcripts.search({ text: "tide", visible: EVERY_SESSION, limit: 5 })).toHaveLength(1);
  });

  it("a repair empties the write-ahead log once nobody reads an old state of the file", async () => {
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
