import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { openSqliteStore } from "./index.ts";
import { migrate } from "./migrations.ts";

/** The version of the tables that do not tell whether a thread was opened. */
const BEFORE = 49;

test("no thread is removed of a handoff that failed in an earlier Hermes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-migration-"));
  const file = join(folder, "hermes.db");
  const database = new Database(file);
  migrate(database, file, createRowRedaction([]), () => {}, BEFORE);
  database.exec(`
    INSERT INTO sessions (id, user, origin, last_surface, created_at, updated_at)
    VALUES ('ses_1', 'operator', 'terminal', 'terminal', 1, 1);
    INSERT INTO handoffs (id, session_id, from_surface, platform, state, requested_at, expires_at, mark, conversation)
    VALUES ('hof_1', 'ses_1', 'terminal', 'pager', 'failed', 1, 2, 'm1',
      '{"platform":"pager","chatId":"1","threadId":"7","kind":"dm"}');
  `);
  database.close();
  const store = await openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });
  const left = await store.handoffs.leftThreads({ platform: "pager", account: undefined });
  await store.close();
  const updated = new Database(file);
  const rows = updated.prepare("SELECT id, thread_opened FROM handoffs").all();
  updated.close();
  rmSync(folder, { recursive: true, force: true });
  expect(left).toEqual([]);
  expect(rows).toEqual([{ id: "hof_1", thread_opened: 0 }]);
});
