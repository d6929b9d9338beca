import type { Redactor } from "@hermes/core";
import type Database from "better-sqlite3";
import type { MessageKind, WireChoice, WireMessage, WireQuote } from "../server/wire/thread.ts";
import type { Changes } from "./changes.ts";
import { type SentFile, wireFile } from "./sent-file.ts";
import type { Threads } from "./threads.ts";

interface MessageRow {
  readonly seq: number;
  readonly id: string;
  readonly thread_id: string;
  readonly kind: MessageKind;
  readonly author: WireMessage["author"];
  readonly place: string | null;
  readonly text: string;
  readonly sent_at: number;
  readonly edited_at: number | null;
  readonly is_accepted: number;
  readonly reply_to: string | null;
  readonly choices: string | null;
  readonly files: string | null;
  readonly session_id: string | null;
  readonly turn_id: string | null;
  readonly until: number | null;
  readonly change: number;
}

/** What stands for a message that was deleted. */
const BLANK = "(deleted: a code stood here)";

/** The content of a message; an edit replaces all of it. */
export interface MessageBody {
  readonly kind: MessageKind;
  readonly author: WireMessage["author"];
  readonly place: string | null;
  readonly text: string;
  readonly choices?: readonly WireChoice[];
}

export interface NewMessage extends MessageBody {
  readonly id: string;
  readonly threadId: string;
  /** Idempotency key. Null for a person's message, whose id serves as one. */
  readonly key: string | null;
  /** The message's session. Null for a person's message, which gets the session of its answer. */
  readonly sessionId: string | null;
  /** The turn that it says something of. */
  readonly turnId?: string | null;
  /** Of `earlier`: the number in its session's transcript in front of which it was said. */
  readonly until?: number | null;
  /** The message that a person replies to. */
  readonly replyTo?: WireQuote | null;
  readonly files?: readonly SentFile[];
  readonly at: number;
}

/** The messages of all threads. Each writing method is one transaction. */
export class Messages {
  readonly #changes: Changes;
  readonly #threads: Threads;
  readonly #redact: Redactor;
  readonly #byId: Database.Statement<[string], MessageRow>;
  readonly #byKey: Database.Statement<[string, string], MessageRow>;
  readonly #page: Database.Statement<[string, number, number], MessageRow>;
  readonly #after: Database.Statement<[number, number], MessageRow>;
  readonly #insert: Database.Statement<unknown[]>;
  readonly #claim: Database.Statement<[string, string]>;
  readonly #update: Database.Statement<unknown[]>;
  readonly #accept: Database.Statement<[number, string]>;
  readonly #waiting: Database.Statement<[string], MessageRow>;
  readonly #waitingFiles: Database.Statement<[], { files: string }>;
  readonly #allFiles: Database.Statement<[], { files: string }>;
  readonly #waitingThreads: Database.Statement<[], { thread_id: string }>;

  constructor(db: Database.Database, changes: Changes, threads: Threads, redact: Redactor) {
    this.#changes = changes;
    this.#threads = threads;
    this.#redact = redact;
    this.#byId = db.prepare("SELECT * FROM messages WHERE id = ?");
    this.#byKey = db.prepare("SELECT * FROM messages WHERE thread_id = ? AND key = ?");
    this.#page = db.prepare("SELECT * FROM messages WHERE thread_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?");
    this.#after = db.prepare("SELECT * FROM messages WHERE change > ? ORDER BY change LIMIT ?");
    this.#insert = db.prepare(
      `INSERT INTO messages
         (id, thread_id, kind, author, place, text, key, session_id, sent_at, is_accepted, change, reply_to, choices, files,
          turn_id, until)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#claim = db.prepare("UPDATE messages SET session_id = ? WHERE thread_id = ? AND session_id IS NULL");
    this.#update = db.prepare(
      `UPDATE messages SET kind = ?, author = ?, place = ?, text = ?, choices = ?, edited_at = ?, change = ?
       WHERE id = ?`,
    );
    this.#accept = db.prepare("UPDATE messages SET is_accepted = 1, change = ? WHERE id = ?");
    this.#waiting = db.prepare("SELECT * FROM messages WHERE thread_id = ? AND is_accepted = 0 ORDER BY seq LIMIT 1");
    this.#waitingFiles = db.prepare("SELECT files FROM messages WHERE is_accepted = 0 AND files IS NOT NULL");
    this.#allFiles = db.prepare("SELECT files FROM messages WHERE files IS NOT NULL");
    this.#waitingThreads = db.prepare("SELECT DISTINCT thread_id FROM messages WHERE is_accepted = 0");
  }

  get(id: string): WireMessage | null {
    return orNull(this.#byId.get(id));
  }

  byKey(threadId: string, key: string): WireMessage | null {
    return orNull(this.#byKey.get(threadId, key));
  }

  /** Where what was said before a message of kind `earlier` is read; null where that is not known. */
  earlierOf(id: string): { readonly threadId: string; readonly sessionId: string; readonly until: number } | null {
    const row = this.#byId.get(id);
    if (!row || !hasParts(row)) return null;
    return { threadId: row.thread_id, sessionId: row.session_id, until: row.until };
  }

  /** The last `limit` messages before `before`, oldest first. */
  page(threadId: string, before: number, limit: number): WireMessage[] {
    return this.#page.all(threadId, before, limit).map(toWire).reverse();
  }

  /**
   * Adds a message. Returns the existing one, unchanged, if there is one with this id or key; null if the thread is
   * gone.
   */
  add(message: NewMessage): { readonly message: WireMessage; readonly isNew: boolean } | null {
    return this.#changes.write(() => {
      if (!this.#threads.has(message.threadId)) return null;
      const existing =
        this.get(message.id) ?? (message.key === null ? null : this.byKey(message.threadId, message.key));
      if (existing) return { message: existing, isNew: false };
      const { id, threadId, key, sessionId, turnId = null, until = null, replyTo = null, files = [], at } = message;
      const { kind, author, place, text, choices } = this.#safe(message);
      // Only people's messages still have to be stored by Hermes.
      const isAccepted = kind === "user" ? 0 : 1;
      const change = this.#changes.next();
      const reply = replyTo && JSON.stringify({ ...replyTo, text: this.#redact(replyTo.text) });
      const named = files.map((file) => ({ ...file, name: this.#redact(file.name) }));
      const sent = named.length === 0 ? null : JSON.stringify(named);
      const said = [
        kind,
        author,
        place,
        text,
        key,
        sessionId,
        at,
        isAccepted,
        change,
        reply,
        choices,
        sent,
        turnId,
        until,
      ];
      this.#insert.run(id, threadId, ...said);
      if (sessionId !== null) this.#claim.run(sessionId, threadId);
      this.#threads.touch(threadId, at);
      return { message: toWire(found(this.#byId.get(id))), isNew: true };
    });
  }

  /** Replaces the content of a message. Null if Hermes sent none with this id in the thread. */
  replace(threadId: string, id: string, said: MessageBody, at: number): WireMessage | null {
    const body = this.#safe(said);
    return this.#changes.write(() => {
      const before = this.#byId.get(id);
      if (!before || before.thread_id !== threadId || before.kind === "user") return null;
      const { kind, author, place, text, choices } = body;
      if (before.text === text && before.kind === kind && before.choices === choices) return toWire(before);
      this.#update.run(kind, author, place, text, choices, at, this.#changes.next(), id);
      return toWire(found(this.#byId.get(id)));
    });
  }

  /** Takes away what a person wrote; that there was a message stays. */
  blank(threadId: string, id: string, at: number): void {
    this.#changes.write(() => {
      const before = this.#byId.get(id);
      if (!before || before.thread_id !== threadId || before.kind !== "user" || before.text === BLANK) return;
      this.#update.run(before.kind, before.author, before.place, BLANK, null, at, this.#changes.next(), id);
    });
  }

  /** The content, redacted, as it is stored. */
  #safe({ kind, author, place, text, choices = [] }: MessageBody) {
    return {
      kind,
      author,
      place: place === null ? null : this.#redact(place),
      text: this.#redact(text),
      choices: choices.length === 0 ? null : JSON.stringify(choices.map((choice) => this.#safeChoice(choice))),
    };
  }

  #safeChoice(choice: WireChoice): WireChoice {
    return { ...choice, label: this.#redact(choice.label) };
  }

  markAccepted(id: string): void {
    this.#changes.write(() => this.#accept.run(this.#changes.next(), id));
  }

  /** The oldest message of a thread that Hermes has not stored. */
  firstWaiting(threadId: string): WireMessage | null {
    return orNull(this.#waiting.get(threadId));
  }

  /** Whether a message that Hermes has not stored names an uploaded file. */
  isWaitingFor(fileId: string): boolean {
    return this.#waitingFiles.all().some(({ files }) => files.includes(fileId));
  }

  /** The ids of all files that the page keeps for a message. */
  filesKept(): ReadonlySet<string> {
    const kept = new Set<string>();
    for (const { files } of this.#allFiles.iterate())
      for (const { id, isKept } of filesIn(files)) if (isKept) kept.add(id);
    return kept;
  }

  threadsWaiting(): string[] {
    return this.#waitingThreads.all().map((row) => row.thread_id);
  }

  changedAfter(change: number, limit: number): WireMessage[] {
    return this.#after.all(change, limit).map(toWire);
  }
}

function orNull(row: MessageRow | undefined): WireMessage | null {
  return row ? toWire(row) : null;
}

function found(row: MessageRow | undefined): MessageRow {
  if (!row) throw new Error("a message that was just written is missing");
  return row;
}

function filesIn(json: string): SentFile[] {
  return JSON.parse(json) as SentFile[];
}

function hasParts(row: MessageRow): row is MessageRow & { readonly session_id: string; readonly until: number } {
  return row.kind === "earlier" && row.until !== null && row.session_id !== null && row.session_id !== "";
}

function toWire(row: MessageRow): WireMessage {
  return {
    id: row.id,
    threadId: row.thread_id,
    seq: row.seq,
    kind: row.kind,
    author: row.author,
    place: row.place,
    text: row.text,
    sentAt: row.sent_at,
    editedAt: row.edited_at,
    isAccepted: row.is_accepted === 1,
    replyTo: row.reply_to === null ? null : (JSON.parse(row.reply_to) as WireQuote),
    files: row.files === null ? [] : filesIn(row.files).map((file) => wireFile(file, row)),
    choices: row.choices === null ? [] : (JSON.parse(row.choices) as WireChoice[]),
    turnId: row.turn_id,
    hasParts: hasParts(row),
    change: row.change,
  };
}
