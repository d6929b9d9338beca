import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { migrate } from "./migrations.ts";

/** The version of the tables before handoffs had a target. */
const BEFORE = 31;

test("handoffs of an earlier Hermes go to the home of the account that took them", () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-migration-"));
  const database = new Database(join(folder, "hermes.db"));
  const redaction = createRowRedaction([]);
  migrate(database, "hermes.db", redaction, () => {}, BEFORE);
  database.exec(`
    INSERT INTO sessions (id, user, origin, last_surface, created_at, updated_at) VALUES
      ('ses_1', 'operator', 'terminal', 'terminal', 1, 1), ('ses_2', 'operator', 'terminal', 'terminal', 1, 1);
    INSERT INTO gateways (id, holder, started_at, heartbeat_at, platforms) VALUES ('gw_1', '{}', 1, 1, json('[
      {"platform":"pager","account":"second","takesHandoffs":false},
      {"platform":"pager","account":"work","takesHandoffs":true}]'));
    INSERT INTO handoffs (id, session_id, from_surface, platform, state, requested_at, expires_at, mark, conversation)
    VALUES
      ('hof_1', 'ses_1', 'terminal', 'pager', 'running', 1, 2, 'm1', NULL),
      ('hof_2', 'ses_2', 'terminal', 'pager', 'running', 1, 2, 'm2', '{"platform":"pager","account":"second"}'),
      ('hof_3', 'ses_1', 'terminal', 'pager', 'completed', 1, 2, 'm3', NULL);
  `);
  migrate(database, "hermes.db", redaction);
  const rows = database.prepare("SELECT id, account, target, left_surface FROM handoffs ORDER BY id").all();
  database.close();
  rmSync(folder, { recursive: true, force: true });
  expect(rows).toEqual([
    { id: "hof_1", account: "work", target: null, left_surface: "terminal" },
    { id: "hof_2", account: "second", target: null, left_surface: "terminal" },
    { id: "hof_3", account: null, target: null, left_surface: "terminal" },
  ]);
});
