import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../../base/process-identity.ts";
import { OPERATOR } from "../../session/session.ts";
import type { Store } from "../../session/store.ts";
import { createVirtualClock, type VirtualClock } from "../../testing/virtual-clock.ts";
import { openSqliteStore } from "./index.ts";

const MEBIBYTE = 1024 * 1024;

let folder: string;
let file: string;
let clock: VirtualClock;
let writer: Store;
/** Another process: it watches the file, as gateways and terminals do, and writes nothing. */
let idle: Store;
let reader: Database.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  file = join(folder, "hermes.db");
  clock = createVirtualClock();
  const open = (at: VirtualClock) => openSqliteStore({ file, clock: at, ids: randomIds, probe: systemProcessProbe });
  writer = await open(createVirtualClock());
  idle = await open(clock);
  idle.watch(() => {});
  reader = new Database(file);
});
afterEach(async () => {
  reader.close();
  await writer.close();
  await idle.close();
  rmSync(folder, { recursive: true });
});

const lengthOfLog = () => statSync(`${file}-wal`).size;

test("the write-ahead log is short again once a long reader is gone, though nobody writes", async () => {
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM sessions").get();
  await write(100 * MEBIBYTE);
  expect(lengthOfLog()).toBeGreaterThan(100 * MEBIBYTE);

  // It cannot be made shorter yet, and the reader is not disturbed.
  await clock.advance(60_000);
  expect(lengthOfLog()).toBeGreaterThan(100 * MEBIBYTE);
  expect(reader.prepare("SELECT count(*) AS count FROM messages").get()).toEqual({ count: 0 });

  reader.exec("COMMIT");
  await clock.advance(60_000);
  expect(lengthOfLog()).toBeLessThanOrEqual(64 * MEBIBYTE);
  expect(reader.prepare("SELECT sum(length(text)) AS length FROM messages").get()).toEqual({
    length: 100 * MEBIBYTE + "begin".length,
  });
});

async function write(bytes: number): Promise<void> {
  const { id } = await writer.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const started = await writer.turns.startTurn({
    ...{ sessionId: id, holder: thisProcess("prc_1", "terminal"), cause: { kind: "terminal" }, surface: "terminal" },
    ...{ leaseMs: 15_000, message: { role: "user", text: "begin" } },
  });
  if (!started.ok) throw new Error("the turn was not granted");
  const message = { role: "assistant", text: "x".repeat(MEBIBYTE) } as const;
  for (let written = 0; written < bytes; written += MEBIBYTE) {
    await writer.turns.append(started.turn.id, started.fence, [message]);
  }
}
