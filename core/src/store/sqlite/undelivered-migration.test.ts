import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { SessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import { openSqliteStore } from "./index.ts";
import { VERSION_1, VERSION_2 } from "./schema.ts";

const CONVERSATION = { platform: "pager", chatId: "1", kind: "dm" } as const;
const AT = { key: "agent:main:pager:dm:1" as SessionKey, conversation: CONVERSATION };
const NOTICE = { kind: "notice", markdown: "Before:" } as const;

/** A file of version 2 with refused and uncertain messages. */
function writeVersion2(file: string): void {
  const database = new Database(file);
  database.exec(VERSION_1 + VERSION_2);
  database.pragma("application_id = 0x4865726d");
  database.pragma("user_version = 2");
  database.exec(
    `INSERT INTO sessions (id, user, origin, last_surface, created_at, updated_at, model)
       VALUES ('ses_1', 'operator', 'terminal', 'terminal', 1, 1, 'gone/model');
     INSERT INTO messages (session_id, seq, role, text, internal, created_at)
       VALUES ('ses_1', 1, 'user', '昨日の会議で refactoring と決めた', 0, 1);
     INSERT INTO handoffs (id, session_id, from_surface, platform, state, requested_at, expires_at, ended_at, mark)
       VALUES ('hof_1', 'ses_1', 'terminal', 'pager', 'failed', 1, 2, 3, 'm1'),
              ('hof_2', 'ses_1', 'terminal', 'pager', 'completed', 1, 2, 3, 'm2');`,
  );
  const add = (position: number, state: string, handoff: string | null, offeredAt: number | null) => {
    const text = `${position} ${state}`;
    database
      .prepare("INSERT INTO outbox_messages VALUES (?, ?)")
      .run(position, JSON.stringify({ ...NOTICE, markdown: text }));
    database
      .prepare(
        `INSERT INTO outbox (id, key, position, part, platform, account, conversation, message_id, piece, state,
           session_id, handoff_id, due_at, error_code, error_text, offered_at, created_at)
         VALUES (?, ?, ?, 0, 'pager', '', ?, ?, ?, ?, 'ses_1', ?, 1, ?, 'no', ?, ?)`,
      )
      .run(
        ...[
          `out_${position}`,
          AT.key,
          position,
          JSON.stringify(CONVERSATION),
          position,
          JSON.stringify({ text }),
          state,
        ],
        ...[handoff, state === "failed" ? "PLATFORM_FORBIDDEN" : "PLATFORM_UNCERTAIN", offeredAt, Date.now()],
      );
  };
  add(1, "failed", null, null);
  add(2, "failed", "hof_1", null);
  add(3, "failed", "hof_2", null);
  add(4, "uncertain", null, 7);
  add(5, "uncertain", null, null);
  database.close();
}

test("a store of an earlier Hermes offers its refused messages, and can be searched", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  const file = join(folder, "hermes.db");
  writeVersion2(file);
  const store = await openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });
  const texts = (all: readonly { readonly message: { readonly markdown: string } }[]) =>
    all.map(({ message }) => message.markdown).sort();
  expect(texts(await store.deliveries.list({ limit: 10 }))).toEqual([
    "1 failed",
    "3 failed",
    "4 uncertain",
    "5 uncertain",
  ]);
  // Old refusals are not reported one by one.
  expect(await store.deliveries.untold(10)).toEqual([]);
  const notices = { failed: NOTICE, uncertain: NOTICE };
  expect(texts(await store.deliveries.offer(AT, notices, 10))).toEqual(["1 failed", "3 failed", "5 uncertain"]);
  // Messages are indexed again.
  const query = { text: "会議 refact", visible: { kind: "all" }, limit: 9 } as const;
  expect(await store.transcripts.search(query)).toMatchObject([{ snippet: "昨日の[会議]で [refactoring] と決めた" }]);
  // The session has no model of its own, so it uses the one that the config names now.
  expect(await store.sessions.get("ses_1" as SessionId)).toMatchObject({ model: null });
  await store.close();
  rmSync(folder, { recursive: true });
});
