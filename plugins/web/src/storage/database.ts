import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Redactor } from "@hermes/core";
import Database from "better-sqlite3";
import { HOME_CHAT_ID } from "../source.ts";

/** The name of the plugin's file in its folder. */
export const FILE_NAME = "web.db";

// Each message and thread has the number of its latest change. A page that knows change n has missed all rows with a
// higher number: there is no event log to prune, and a growing answer is one row however often it was edited.
const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE counter (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL) STRICT;
  INSERT INTO counter VALUES (1, 1);
  CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    mark TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    activity_at INTEGER NOT NULL,
    read_seq INTEGER NOT NULL DEFAULT 0,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    change INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX threads_change ON threads (change);
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    thread_id TEXT NOT NULL REFERENCES threads (id),
    kind TEXT NOT NULL,
    author TEXT NOT NULL,
    place TEXT,
    text TEXT NOT NULL,
    key TEXT,
    sent_at INTEGER NOT NULL,
    edited_at INTEGER,
    is_accepted INTEGER NOT NULL,
    change INTEGER NOT NULL,
    UNIQUE (thread_id, key)
  ) STRICT;
  CREATE INDEX messages_thread ON messages (thread_id, seq);
  CREATE INDEX messages_change ON messages (change);
  CREATE INDEX messages_waiting ON messages (thread_id, seq) WHERE is_accepted = 0;
  CREATE TABLE codes (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
  CREATE TABLE browsers (hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT;
`;

/** The session of each message, and the deleted sessions, whose messages are deleted later. */
const SCHEMA_2 = `
  -- Empty in messages of earlier versions (unknown); null in those that are not answered yet.
  ALTER TABLE messages ADD COLUMN session_id TEXT;
  UPDATE messages SET session_id = '';
  CREATE INDEX messages_session ON messages (session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX messages_of_nobody ON messages (thread_id) WHERE session_id IS NULL;
  CREATE TABLE gone_sessions (id TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/** The message that a message replies to: a `WireQuote` as JSON. */
const SCHEMA_3 = `
  ALTER TABLE messages ADD COLUMN reply_to TEXT;
`;

/** The buttons below a question: a list of `WireChoice` as JSON; null if there are none. */
const SCHEMA_4 = `
  ALTER TABLE messages ADD COLUMN choices TEXT;
`;

/** The files of a message: a list of `SentFile` as JSON; null if there are none. */
const SCHEMA_5 = `
  ALTER TABLE messages ADD COLUMN files TEXT;
`;

/** Finds the files that messages name without reading all messages. */
const SCHEMA_6 = `
  CREATE INDEX messages_files ON messages (seq) WHERE files IS NOT NULL;
`;

/** The turn that a message says something of, and where in the transcript an earlier part ends. */
const SCHEMA_7 = `
  ALTER TABLE messages ADD COLUMN turn_id TEXT;
  ALTER TABLE messages ADD COLUMN until INTEGER;
`;

const SCHEMA_VERSION = 7;

/**
 * Opens the plugin's file; creates it (mode 0600) if it is missing. The server and the terminal may have it open at the
 * same time. `busyMs`: how long a statement waits for the other of the two.
 */
export function openDatabase(
  folder: string,
  options: { now: number; busyMs: number; redact: Redactor },
): Database.Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE_NAME);
  // SQLite gives its side files the mode of the main one, so set that first.
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const db = new Database(path, { timeout: options.busyMs });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    // The driver's 16 MiB are more than the page needs.
    db.pragma("cache_size = -2000");
    db.transaction(() => migrate(db, options)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: Database.Database, { now, redact }: { readonly now: number; readonly redact: Redactor }): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version > SCHEMA_VERSION) {
    throw new Error(`${FILE_NAME} was written by a newer version of the web plugin (schema ${version})`);
  }
  if (version < 1) create(db, now);
  if (version < 2) {
    db.exec(SCHEMA_2);
    redactWritten(db, redact);
  }
  if (version < 3) db.exec(SCHEMA_3);
  if (version < 4) db.exec(SCHEMA_4);
  if (version < 5) db.exec(SCHEMA_5);
  if (version < 6) db.exec(SCHEMA_6);
  if (version < 7) db.exec(SCHEMA_7);
  if (version < SCHEMA_VERSION) db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

function create(db: Database.Database, now: number): void {
  db.exec(SCHEMA);
  db.prepare("INSERT INTO meta VALUES ('epoch', ?)").run(randomBytes(6).toString("hex"));
  db.prepare("INSERT INTO threads (id, name, created_at, activity_at, change) VALUES (?, 'Home', ?, ?, 1)").run(
    HOME_CHAT_ID,
    now,
    now,
  );
}

/** Redacts the rows of earlier versions, which did not redact what they wrote. */
function redactWritten(db: Database.Database, redact: Redactor): void {
  for (const [table, column] of [
    ["threads", "name"],
    ["messages", "text"],
    ["messages", "place"],
  ] as const) {
    const rows = db.prepare<[number], { id: number; text: string }>(
      `SELECT rowid AS id, ${column} AS text FROM ${table} WHERE rowid > ? AND ${column} IS NOT NULL ORDER BY rowid LIMIT 1000`,
    );
    const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
    for (let page = rows.all(0); page.length > 0; page = rows.all(page.at(-1)?.id ?? 0)) {
      for (const { id, text } of page) {
        const safe = redact(text);
        if (safe !== text) update.run(safe, id);
      }
    }
  }
}
