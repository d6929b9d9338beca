import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { HOME_CHAT_ID } from "../source.ts";

/** The name of the plugin's file in its folder. */
const FILE_NAME = "web.db";

// Each message and thread carries the number of its latest change. "Everything after change n" is then all that a
// page has missed: nothing has to be pruned, and a growing answer is one row however often it grew.
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

const SCHEMA_VERSION = 1;

/**
 * Opens the plugin's file, and makes it (mode 0600) when it is not there. The server and the terminal may have it open
 * at once. `busyMs` is how long a statement may wait for the other of the two.
 */
export function openDatabase(folder: string, options: { now: number; busyMs: number }): Database.Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, FILE_NAME);
  // SQLite gives its side files the mode of the main one, so that one has to be right first.
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const db = new Database(path, { timeout: options.busyMs });
  try {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    db.transaction(() => migrate(db, options.now)).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: Database.Database, now: number): void {
  const version = db.pragma("user_version", { simple: true });
  if (version === SCHEMA_VERSION) return;
  if (version !== 0) {
    throw new Error(`${FILE_NAME} was written by a newer version of the web plugin (schema ${version})`);
  }
  db.exec(SCHEMA);
  db.prepare("INSERT INTO meta VALUES ('epoch', ?)").run(randomBytes(6).toString("hex"));
  db.prepare("INSERT INTO threads (id, name, created_at, activity_at, change) VALUES (?, 'Home', ?, ?, 1)").run(
    HOME_CHAT_ID,
    now,
    now,
  );
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}
