import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";

const MEBIBYTE = 1024 * 1024;
/** In bytes: more than the log may keep. */
const WRITTEN = 72 * MEBIBYTE;

let folder: string;
let file: string;
let clock: VirtualClock;
/** A store that watches the file, as gateways and terminals do, and writes nothing. */
let idle: Store;
let writer: Database.Database;
let reader: Database.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  file = join(folder, "hermes.db");
  clock = createVirtualClock();
  idle = await openSqliteStore({ file, clock, ids: randomIds, probe: systemProcessProbe });
  idle.watch(() => {});
  writer = new Database(file);
  writer.exec("CREATE TABLE big (bytes)");
  reader = new Database(file);
});
afterEach(async () => {
  reader.close();
  writer.close();
  await idle.close();
  rmSync(folder, { recursive: true });
});

const lengthOfLog = () => statSync(`${file}-wal`).size;
const lengthRead = () => reader.prepare("SELECT total(length(bytes)) AS length FROM big").get();

test("truncates the write-ahead log after a long reader is gone, though nobody writes", async () => {
  reader.exec("BEGIN");
  expect(lengthRead()).toEqual({ length: 0 });
  writer.prepare("INSERT INTO big VALUES (zeroblob(?))").run(WRITTEN);
  expect(lengthOfLog()).toBeGreaterThan(WRITTEN);

  // The log cannot be truncated while the reader needs it.
  await clock.advance(60_000);
  expect(lengthOfLog()).toBeGreaterThan(WRITTEN);
  expect(lengthRead()).toEqual({ length: 0 });

  reader.exec("COMMIT");
  await clock.advance(60_000);
  expect(lengthOfLog()).toBeLessThanOrEqual(64 * MEBIBYTE);
  expect(lengthRead()).toEqual({ length: WRITTEN });
});
