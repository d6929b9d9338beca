import { type Clock, sleep } from "@hermes/core";
import type Database from "better-sqlite3";
import type { Changes } from "./changes.ts";
import type { Threads } from "./threads.ts";

/** How long the messages of a deleted session are kept, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** The most messages deleted in one transaction: a larger one would keep writers waiting. */
const STEP = 200;

/** The pause between two such transactions, in milliseconds. */
const PAUSE_MS = 20;

/** The most sessions per query. */
const ASKED_TOGETHER = 100;

type Gone = (sessionIds: readonly string[]) => Promise<readonly string[]>;

/** Deletes the messages of deleted sessions, and threads that have no others. */
export class Pruning {
  readonly #changes: Changes;
  readonly #threads: Threads;
  readonly #database: Database.Database;
  readonly #next: Database.Statement<[string], { id: string | null }>;
  readonly #note: Database.Statement<[string, number]>;
  readonly #due: Database.Statement<[number], { id: string }>;
  readonly #some: Database.Statement<[string, number], { seq: number; thread_id: string }>;
  readonly #remove: Database.Statement<[number]>;
  readonly #hasOthers: Database.Statement<[string, number]>;
  readonly #shown: Database.Statement<[number, string]>;
  readonly #forget: Database.Statement<[string]>;

  constructor(db: Database.Database, changes: Changes, threads: Threads) {
    this.#changes = changes;
    this.#threads = threads;
    this.#database = db;
    this.#next = db.prepare("SELECT min(session_id) AS id FROM messages WHERE session_id > ?");
    this.#note = db.prepare("INSERT OR IGNORE INTO gone_sessions (id, since) VALUES (?, ?)");
    this.#due = db.prepare("SELECT id FROM gone_sessions WHERE since <= ?");
    this.#some = db.prepare("SELECT seq, thread_id FROM messages WHERE session_id = ? LIMIT ?");
    this.#remove = db.prepare("DELETE FROM messages WHERE seq = ?");
    // A person's message has no session before its answer.
    this.#hasOthers = db.prepare(
      "SELECT 1 FROM messages WHERE thread_id = ? AND (session_id IS NOT NULL OR sent_at > ?) LIMIT 1",
    );
    this.#shown = db.prepare("UPDATE threads SET change = ? WHERE id = ?");
    this.#forget = db.prepare("DELETE FROM gone_sessions WHERE id = ?");
  }

  async prune(clock: Clock, gone: Gone): Promise<void> {
    await this.#noteGone(clock, gone);
    if (!this.#database.open) return;
    const since = clock.now() - KEPT_MS;
    for (const { id } of this.#due.all(since)) {
      while (this.#database.open && this.#step(id, since) === STEP) await sleep(clock, PAUSE_MS);
      if (this.#database.open) this.#changes.write(() => this.#forget.run(id));
    }
  }

  /** Records when each deleted session was first missed. */
  async #noteGone(clock: Clock, gone: Gone): Promise<void> {
    const ids = this.#sessions();
    for (let at = 0; at < ids.length; at += ASKED_TOGETHER) {
      const missing = await gone(ids.slice(at, at + ASKED_TOGETHER));
      // The server may have stopped in the meantime.
      if (!this.#database.open) return;
      if (missing.length > 0) this.#changes.write(() => missing.forEach((id) => void this.#note.run(id, clock.now())));
    }
  }

  /** All sessions that have messages. Jumps from one to the next in the index, without reading their rows. */
  #sessions(): string[] {
    const ids: string[] = [];
    for (let id = this.#next.get("")?.id; id; id = this.#next.get(id)?.id) ids.push(id);
    return ids;
  }

  /** Deletes up to {@link STEP} messages, and threads that have no others since then; returns how many messages. */
  #step(sessionId: string, since: number): number {
    const some = this.#some.all(sessionId, STEP);
    if (some.length === 0) return 0;
    this.#changes.write(() => {
      for (const { seq } of some) this.#remove.run(seq);
      for (const threadId of new Set(some.map((message) => message.thread_id))) {
        if (this.#hasOthers.get(threadId, since)) this.#shown.run(this.#changes.next(), threadId);
        else this.#threads.deleteWithin(threadId);
      }
    });
    return some.length;
  }
}
