import type { Redactor } from "@hermes/core";
import type Database from "better-sqlite3";
import type { WirePreview, WireThread } from "../server/wire/thread.ts";
import { HOME_CHAT_ID } from "../source.ts";
import type { Changes } from "./changes.ts";

/** The length of the preview in the list of threads, in UTF-16 units. */
const PREVIEW_LENGTH = 160;

interface ThreadRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly activity_at: number;
  readonly is_deleted: number;
  readonly change: number;
  readonly unread: number;
  readonly last_seq: number | null;
  readonly last_author: WirePreview["author"] | null;
  readonly last_text: string | null;
}

/** A thread that changed or was deleted. */
export type ThreadChange = { readonly change: number } & (
  | { readonly thread: WireThread }
  | { readonly goneId: string }
);

const SELECT = `
  SELECT t.*, m.seq AS last_seq, m.author AS last_author, substr(m.text, 1, ${PREVIEW_LENGTH}) AS last_text,
    (SELECT count(*) FROM messages u WHERE u.thread_id = t.id AND u.seq > t.read_seq AND u.author <> 'user') AS unread
  FROM threads t LEFT JOIN messages m ON m.seq = (SELECT max(seq) FROM messages WHERE thread_id = t.id)`;

/** The home channel and its threads. */
export class Threads {
  readonly #changes: Changes;
  readonly #redact: Redactor;
  readonly #byId: Database.Statement<[string], ThreadRow>;
  readonly #exists: Database.Statement<[string], { id: string }>;
  readonly #byMark: Database.Statement<[string], { id: string }>;
  readonly #list: Database.Statement<[], ThreadRow>;
  readonly #after: Database.Statement<[number, number], ThreadRow>;
  readonly #insert: Database.Statement<[string, string, string, number, number, number]>;
  readonly #touch: Database.Statement<[number, number, string]>;
  readonly #read: Database.Statement<[number, number, string, number]>;
  readonly #rename: Database.Statement<[string, number, string, string]>;
  readonly #bury: Database.Statement<[number, string]>;
  readonly #empty: Database.Statement<[string]>;
  readonly #waits: Database.Statement<[string]>;

  constructor(db: Database.Database, changes: Changes, redact: Redactor) {
    this.#changes = changes;
    this.#redact = redact;
    this.#byId = db.prepare(`${SELECT} WHERE t.id = ? AND t.is_deleted = 0`);
    this.#exists = db.prepare("SELECT id FROM threads WHERE id = ? AND is_deleted = 0");
    this.#byMark = db.prepare("SELECT id FROM threads WHERE mark = ?");
    this.#list = db.prepare(`${SELECT} WHERE t.is_deleted = 0 ORDER BY t.activity_at DESC, t.rowid DESC`);
    this.#after = db.prepare(`${SELECT} WHERE t.change > ? ORDER BY t.change LIMIT ?`);
    this.#insert = db.prepare(
      "INSERT INTO threads (id, name, mark, created_at, activity_at, change) VALUES (?, ?, ?, ?, ?, ?)",
    );
    this.#touch = db.prepare("UPDATE threads SET activity_at = ?, change = ? WHERE id = ?");
    this.#read = db.prepare("UPDATE threads SET read_seq = ?, change = ? WHERE id = ? AND read_seq < ?");
    this.#rename = db.prepare("UPDATE threads SET name = ?, change = ? WHERE id = ? AND name <> ?");
    // The row stays, so that offline pages learn of the deletion later; its mark can be used again.
    this.#bury = db.prepare("UPDATE threads SET is_deleted = 1, mark = NULL, name = '', change = ? WHERE id = ?");
    this.#empty = db.prepare("DELETE FROM messages WHERE thread_id = ?");
    this.#waits = db.prepare("SELECT 1 FROM messages WHERE thread_id = ? AND is_accepted = 0 LIMIT 1");
  }

  get(id: string): WireThread | null {
    const row = this.#byId.get(id);
    return row ? toWire(row) : null;
  }

  /** Whether the thread exists. Faster than `get`, which also reads the preview. */
  has(id: string): boolean {
    return this.#exists.get(id) !== undefined;
  }

  /** All threads, the latest activity first. */
  list(): WireThread[] {
    return this.#list.all().map(toWire);
  }

  idByMark(mark: string): string | null {
    return this.#byMark.get(mark)?.id ?? null;
  }

  /** Opens a thread, or finds the one with the same mark. Returns its id. */
  open(thread: { readonly id: string; readonly name: string; readonly mark: string; readonly at: number }): string {
    return this.#changes.write(() => {
      const existing = this.idByMark(thread.mark);
      if (existing !== null) return existing;
      this.#insert.run(thread.id, this.#redact(thread.name), thread.mark, thread.at, thread.at, this.#changes.next());
      return thread.id;
    });
  }

  rename(id: string, name: string): void {
    const safe = this.#redact(name);
    if (this.get(id)?.name === safe) return;
    this.#changes.write(() => this.#rename.run(safe, this.#changes.next(), id, safe));
  }

  /** Deletes a thread with its messages; never the home channel, nor one with a message that Hermes has yet to take in. */
  delete(id: string): void {
    this.#changes.write(() => this.deleteWithin(id));
  }

  /** The same; only inside a write. */
  deleteWithin(id: string): void {
    if (id === HOME_CHAT_ID || !this.has(id) || this.#waits.get(id)) return;
    this.#empty.run(id);
    this.#bury.run(this.#changes.next(), id);
  }

  /** Moves the thread to the top of the list; only inside a write. */
  touch(id: string, at: number): void {
    this.#touch.run(at, this.#changes.next(), id);
  }

  /** Records that the person has seen everything up to `seq`. */
  markRead(id: string, seq: number): void {
    this.#changes.write(() => this.#read.run(seq, this.#changes.next(), id, seq));
  }

  changedAfter(change: number, limit: number): ThreadChange[] {
    return this.#after
      .all(change, limit)
      .map((row) =>
        row.is_deleted ? { change: row.change, goneId: row.id } : { change: row.change, thread: toWire(row) },
      );
  }
}

function toWire(row: ThreadRow): WireThread {
  const { last_seq: seq, last_author: author, last_text: text } = row;
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    activityAt: row.activity_at,
    unread: row.unread,
    preview: seq === null || author === null || text === null ? null : { seq, author, text: text.toWellFormed() },
    change: row.change,
  };
}
