import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { EVERY_SESSION, OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import { openSqliteStore } from "./index.ts";
import { migrate } from "./migrations.ts";

/** The version of the tables in which titles were unique over all people. */
const BEFORE = 48;

const ADA = "pager:ada" as UserId;

let folder: string;
let file: string;

/** A file of that version, with sessions of two people and something of every kind that refers to one. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-migration-"));
  file = join(folder, "hermes.db");
  const database = new Database(file);
  migrate(database, file, createRowRedaction([]), () => {}, BEFORE);
  database.exec(`
    INSERT INTO sessions (id, title, title_folded, user, origin, origin_chat, model, working_directory, mode,
      last_surface, left_surface, unmarked_until, message_count, tool_call_count, last_seq, fence, created_at,
      updated_at, state, away)
    VALUES
      ('ses_1', 'Plan', 'plan', 'operator', 'terminal', NULL, 'a/b', '/work', 'edits', 'terminal', 'k', 1, 1, 0, 1, 2,
        3, 4, '{"task":"x"}', '{"restMs":1}'),
      ('ses_2', 'plan 2', 'plan 2', 'pager:ada', 'k', 'k', NULL, NULL, 'default', 'k', NULL, 0, 0, 0, 0, 0, 3, 5, NULL,
        NULL),
      ('ses_3', NULL, NULL, 'pager:ada', 'k', 'k', NULL, NULL, 'default', 'k', NULL, 0, 0, 0, 0, 0, 3, 6, NULL, NULL);
    INSERT INTO messages (session_id, seq, turn_id, role, text, internal, created_at)
    VALUES ('ses_1', 1, 'trn_1', 'user', 'What is next?', 0, 3);
    INSERT INTO turns (id, session_id, state, attempt, fence, holder, lease_until, surface, message_seq, started_at, ended_at)
    VALUES ('trn_1', 'ses_1', 'done', 1, 1, '{}', 0, 'terminal', 1, 3, 4);
    INSERT INTO handoffs (id, session_id, from_surface, platform, state, requested_at, expires_at, mark)
    VALUES ('hof_1', 'ses_1', 'terminal', 'pager', 'completed', 1, 2, 'm');
    INSERT INTO bindings (key, conversation, session_id, previous_session_id, mirrors, bound_at, used_at)
    VALUES ('k', '{"platform":"pager","chatId":"1","kind":"dm"}', 'ses_3', 'ses_2', 0, 1, 1);
    INSERT INTO typed_lines (id, session_id, text, holder_id, holder, lease_until, typed_at)
    VALUES ('lin_1', 'ses_1', 'go on', 'h', '{}', 0, 1);
  `);
  database.close();
});

afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });

function rowsOf(name: string): unknown[] {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all();
  database.close();
  return rows;
}

test("an update keeps every session, its title, and all that hangs on it", async () => {
  const kept = ["sessions", "messages", "turns", "handoffs", "bindings", "typed_lines"];
  const before = kept.map(rowsOf);
  const store = await open();
  await store.close();
  expect(kept.map(rowsOf)).toMatchObject(before);
  expect(before.map(({ length }) => length)).toEqual([3, 1, 1, 1, 1, 1]);
});

test("after an update, a person may have a title that somebody else has", async () => {
  const store = await open();
  expect(await store.sessions.setTitle("ses_3" as SessionId, "Plan")).toBe("Plan");
  expect(await store.sessions.setTitle("ses_2" as SessionId, "plan")).toBe("plan 2");
  const found = await store.sessions.find("plan", EVERY_SESSION);
  expect(found.map(({ id, user }) => [id, user])).toEqual([
    ["ses_3", ADA],
    ["ses_1", OPERATOR],
  ]);
  await store.close();
});

test("after an update, what is deleted with a session is deleted with it", async () => {
  const store = await open();
  await store.sessions.delete("ses_3" as SessionId);
  await store.sessions.delete("ses_1" as SessionId);
  await store.close();
  expect(["messages", "turns", "handoffs", "bindings", "typed_lines"].map(rowsOf)).toEqual([[], [], [], [], []]);
  const database = new Database(file, { readonly: true });
  expect(database.pragma("foreign_key_check")).toEqual([]);
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  database.close();
});
