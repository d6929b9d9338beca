import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";
import { migrate } from "./migrations.ts";

/** The version of the tables whose `offered_at` was 0 where a message is sent by hand only. */
const BEFORE = 47;

const CONVERSATION = { platform: "pager", chatId: "1", kind: "dm" } as const;
const KEY = "agent:main:pager:dm:1" as SessionKey;
const RESTORED = "It waited when the backup of 2026-11-01T00:00:00.000Z was made, and may have been sent since.";

/** What stands in `outbox`, as the earlier Hermes wrote it. */
const ROWS = [
  ["held back", "failed", 0, "CHAT_NOT_PRIVATE", "Others read that chat by now.", null],
  ["restored", "uncertain", 0, "PLATFORM_UNCERTAIN", RESTORED, null],
  ["parted", "uncertain", 0, "PLATFORM_UNCERTAIN", "Others read that chat by now.", null],
  ["refused", "failed", null, "PLATFORM_FORBIDDEN", "no", 5],
  ["refused again", "failed", 7, "PLATFORM_FORBIDDEN", "no", 5],
  ["by hand", "queued", 0, "CHAT_NOT_PRIVATE", "Others read that chat by now.", null],
  ["waiting", "queued", null, null, null, null],
] as const;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-migration-"));
  const file = join(folder, "hermes.db");
  const database = new Database(file);
  migrate(database, file, createRowRedaction([]), () => {}, BEFORE);
  for (const [index, [text, state, offeredAt, code, reason, toldAt]] of ROWS.entries()) {
    const id = index + 1;
    const message = JSON.stringify({ kind: "answer", markdown: text });
    database.prepare("INSERT INTO outbox_messages VALUES (?, ?)").run(id, message);
    database
      .prepare(
        `INSERT INTO outbox (id, key, position, part, platform, account, conversation, message_id, state, due_at,
           offered_at, error_code, error_text, told_at, created_at)
         VALUES (?, ?, ?, 0, 'pager', '', ?, ?, ?, 1, ?, ?, ?, ?, ?)`,
      )
      .run(`out_${id}`, KEY, id, JSON.stringify(CONVERSATION), id, state, offeredAt, code, reason, toldAt, id);
  }
  database.close();
  store = await openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

test("an update keeps which messages are said by hand only, and offers none of them", async () => {
  const all = await store.deliveries.list({ limit: 10, waiting: true });
  expect(
    all.map(({ message, state, isHeldBack, wasOffered }) => [message.markdown, state, isHeldBack, wasOffered]),
  ).toEqual([
    ["waiting", "waiting", false, false],
    ["by hand", "waiting", true, false],
    ["refused again", "failed", false, true],
    ["refused", "failed", false, false],
    ["parted", "uncertain", true, false],
    ["restored", "uncertain", true, false],
    ["held back", "failed", true, false],
  ]);
  expect((await store.outbox.head(KEY))?.isByHand).toBe(true);
  const notice = { kind: "notice", markdown: "Before:" } as const;
  const at = { key: KEY, conversation: CONVERSATION };
  const offered = await store.deliveries.offer(at, { failed: notice, uncertain: notice }, 10);
  expect(offered.map(({ message }) => message.markdown)).toEqual(["refused"]);
});

test("after an update, nobody is told again what an earlier restore held back", async () => {
  const untold = await store.deliveries.untold(10);
  expect(untold.map(({ message }) => message.markdown)).toEqual(["held back", "parted"]);
});
