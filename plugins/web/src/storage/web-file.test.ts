import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, everyColumnOf } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOME_CHAT_ID } from "../source.ts";
import type { NewMessage } from "./messages.ts";
import { openWebFile, type WebFile } from "./web-file.ts";

const SECRET = "plainly-a-password-42";
const DAY_MS = 24 * 60 * 60_000;

let folder: string;
let path: string;
let file: WebFile;
const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");
const open = () => openWebFile(folder, { now: 0, redact });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
  path = join(folder, "web.db");
  file = open();
});
afterEach(() => {
  file[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const said = (id: string, more: Partial<NewMessage> = {}): NewMessage => ({
  ...{ id, threadId: HOME_CHAT_ID, kind: "answer", author: "agent", place: null, text: "hello", key: null },
  ...{ sessionId: null, at: 0, ...more },
});
const leaks = () => everyColumnOf(path).values.filter(({ value }) => value.includes(SECRET));
const ids = (threadId = HOME_CHAT_ID) =>
  file.messages.page(threadId, Number.MAX_SAFE_INTEGER, 1_000).map(({ id }) => id);

it("a secret that is written or shown on the page stands in no column of its file", () => {
  const threadId = file.threads.open({ id: "thr_1", name: `on ${SECRET}`, mark: "mark", at: 0 });
  file.threads.rename(HOME_CHAT_ID, `home of ${SECRET}`);
  file.messages.add(said("m1", { threadId, kind: "user", author: "user", text: `my key ${SECRET}` }));
  const replyTo = { id: "m1", author: "user", text: `my key ${SECRET}` } as const;
  const files = [{ id: "0".repeat(64), name: `${SECRET}.png`, mediaType: "image/png", size: 1 }];
  file.messages.add(said("m3", { threadId, kind: "user", author: "user", replyTo, files }));
  const choices = [{ id: "q1.yes", label: `Use ${SECRET}`, style: "plain" }] as const;
  file.messages.add(said("m4", { kind: "question", choices }));
  file.messages.add(
    said("m2", { kind: "echo", place: `at ${SECRET}`, text: SECRET, key: "key", sessionId: "ses_1", turnId: "tur_1" }),
  );
  file.messages.replace(
    HOME_CHAT_ID,
    "m2",
    { kind: "answer", author: "agent", place: SECRET, text: `edited ${SECRET}`, choices },
    1,
  );
  file.signIns.mintCode(0);
  file.signIns.redeem(file.signIns.mintCode(0), 0);
  file.meta.baseUrl = "http://localhost:1";
  expect(everyColumnOf(path).empty).toEqual(["gone_sessions.id"]);
  expect(leaks()).toEqual([]);
  expect(file.messages.get("m4")?.choices).toEqual([{ id: "q1.yes", label: "Use [redacted]", style: "plain" }]);
});

it("a file of an earlier version loses its secrets", () => {
  file[Symbol.dispose]();
  rmSync(path);
  const database = new Database(path);
  database.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE counter (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT;
    INSERT INTO counter VALUES (1, 1);
    CREATE TABLE threads (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, mark TEXT UNIQUE, created_at INTEGER NOT NULL,
      activity_at INTEGER NOT NULL, read_seq INTEGER NOT NULL DEFAULT 0, is_deleted INTEGER NOT NULL DEFAULT 0,
      change INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE messages (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, thread_id TEXT NOT NULL REFERENCES threads (id),
      kind TEXT NOT NULL, author TEXT NOT NULL, place TEXT, text TEXT NOT NULL, key TEXT, sent_at INTEGER NOT NULL,
      edited_at INTEGER, is_accepted INTEGER NOT NULL, change INTEGER NOT NULL, UNIQUE (thread_id, key)
    ) STRICT;
    CREATE TABLE codes (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
    CREATE TABLE browsers (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
    INSERT INTO threads (id, name, created_at, activity_at, change) VALUES ('home', 'on ${SECRET}', 0, 0, 1);
    INSERT INTO messages (id, thread_id, kind, author, place, text, sent_at, is_accepted, change)
    VALUES ('m1', 'home', 'user', 'user', 'at ${SECRET}', 'my key ${SECRET}', 0, 1, 1), ('m2', 'home', 'user', 'user', NULL, 'plain', 0, 1, 1);
    PRAGMA user_version = 1;
  `);
  database.close();
  file = open();
  expect(file.threads.get("home")?.name).toBe("on [redacted]");
  expect(file.messages.get("m1")).toMatchObject({
    text: "my key [redacted]",
    place: "at [redacted]",
    choices: [],
  });
  expect(file.messages.get("m2")?.text).toBe("plain");
  expect(leaks()).toEqual([]);
});

it("messages of a session go 30 days after it was deleted, and those of others stay", async () => {
  const clock = createVirtualClock();
  const gone = new Set<string>();
  const prune = () => file.pruning.prune(clock, async (sessions) => sessions.filter((id) => gone.has(id)));
  file.messages.add(said("asked", { kind: "user", author: "user" }));
  file.messages.add(said("answered", { sessionId: "ses_deleted" }));
  file.messages.add(said("asked-another", { kind: "user", author: "user" }));
  file.messages.add(said("answered-another", { sessionId: "ses_kept" }));
  await prune();
  gone.add("ses_deleted");
  await prune();
  await clock.advance(30 * DAY_MS - 1);
  await prune();
  expect(ids()).toEqual(["asked", "answered", "asked-another", "answered-another"]);
  await clock.advance(1);
  await prune();
  expect(ids()).toEqual(["asked-another", "answered-another"]);
});

it("a thread stays in which something was written that nobody has answered yet", async () => {
  const clock = createVirtualClock();
  const threadId = file.threads.open({ id: "thr_1", name: "on it", mark: "mark", at: 0 });
  file.messages.add(said("answered", { threadId, sessionId: "ses_deleted" }));
  const prune = () => file.pruning.prune(clock, async (sessions) => sessions.filter((id) => id === "ses_deleted"));
  await prune();
  await clock.advance(30 * DAY_MS);
  file.messages.add(said("asked", { threadId, kind: "user", author: "user", at: clock.now() }));
  await prune();
  file.threads.delete(threadId);
  expect(ids(threadId)).toEqual(["asked"]);
  file.messages.markAccepted("asked");
  file.threads.delete(threadId);
  expect(file.threads.get(threadId)).toBeNull();
});

it("a thread in which nothing else was said goes with its session, a step at a time", async () => {
  const clock = createVirtualClock();
  const threadId = file.threads.open({ id: "thr_1", name: "on it", mark: "mark", at: 0 });
  for (let at = 0; at < 450; at++) file.messages.add(said(`m${at}`, { threadId, sessionId: "ses_deleted" }));
  file.messages.add(said("m-home", { sessionId: "ses_kept" }));
  const prune = () => file.pruning.prune(clock, async (sessions) => sessions.filter((id) => id === "ses_deleted"));
  await prune();
  await clock.advance(30 * DAY_MS);
  const pruning = prune();
  await clock.advance(0);
  expect(ids(threadId).length).toBeGreaterThan(0);
  await clock.advance(60_000);
  await pruning;
  expect(file.threads.get(threadId)).toBeNull();
  expect(ids()).toEqual(["m-home"]);
});
