import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import type { InboxId } from "../../model/inbox.ts";
import type { SessionId } from "../../model/session.ts";
import { TOOL_INTERRUPTED } from "../../model/transcript.ts";
import { openSqliteStore } from "./index.ts";
import { migrate } from "./migrations.ts";

const CHAT = { platform: "pager", chatId: "1", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);
const HOLDER = { id: "first", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;

/** A file of the last version that did not keep calls, with a turn in whose midst its process died. */
function writeVersion19(file: string): void {
  const database = new Database(file);
  migrate(database, file, createRowRedaction([]), () => {}, 19);
  const message = { conversation: CHAT, messageId: "m1", sender: { id: "ada" }, text: "go", sentAt: 1 };
  const calls = ["a", "b"].map((id) => ({ id, name: "send", input: {} }));
  database
    .prepare(
      `INSERT INTO sessions (id, user, origin, last_surface, last_seq, fence, created_at, updated_at)
       VALUES ('ses_1', 'operator', 'terminal', ?, 3, 1, 1, 1)`,
    )
    .run(KEY);
  database
    .prepare(
      `INSERT INTO inbox (id, key, platform, account, chat, message_id, message, state, received_at)
       VALUES ('inb_1', ?, 'pager', '', ?, 'm1', ?, 'running', 1)`,
    )
    .run(KEY, KEY, JSON.stringify(message));
  database
    .prepare(
      `INSERT INTO turns (id, session_id, inbox_id, state, attempt, fence, holder, lease_until, surface, message_seq,
         tool_started, started_at)
       VALUES ('trn_1', 'ses_1', 'inb_1', 'running', 1, 1, ?, 2, ?, 1, 1, 1)`,
    )
    .run(JSON.stringify(HOLDER), KEY);
  const add = database.prepare(
    `INSERT INTO messages (session_id, turn_id, seq, role, text, tool_calls, tool_call_id, internal, created_at)
     VALUES ('ses_1', 'trn_1', ?, ?, ?, ?, ?, 0, 1)`,
  );
  add.run(1, "user", "go", null, null);
  add.run(2, "assistant", "", JSON.stringify(calls), null);
  add.run(3, "tool", "sent", null, "a");
  database.close();
}

test("a call that an earlier Hermes left without a result counts as begun", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-calls-"));
  const file = join(folder, "hermes.db");
  try {
    writeVersion19(file);
    const store = await openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: { fate: () => "gone" } });
    const id = "ses_1" as SessionId;
    const request = {
      ...{ sessionId: id, surface: KEY, leaseMs: 15_000, holder: { ...HOLDER, id: "second" } },
      message: { role: "user", text: "go" },
      cause: { kind: "inbox", inboxId: "inb_1" as InboxId },
    } as const;
    expect(await store.turns.startTurn(request)).toMatchObject({ ok: true });
    expect((await store.transcripts.read(id)).slice(2)).toMatchObject([
      { text: "sent", toolCallId: "a" },
      { text: TOOL_INTERRUPTED, toolCallId: "b" },
    ]);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
