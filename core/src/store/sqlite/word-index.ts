import type { Clock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";
import { indexedWords } from "./search-words.ts";

/** Milliseconds between a write and the indexing of its messages, so that those of a flood share a transaction. */
const SOON_MS = 500;

/** The maximum number of messages to index in one transaction, so that it does not block others for long. */
const MOST_TOGETHER = 200;
/** The amount of text after which such a transaction ends, in UTF-16 units. */
const LONG_TOGETHER = 500_000;

/** The number of messages to read at once; each may be long. */
const READ_TOGETHER = 20;

/** Milliseconds between two steps of background indexing, such as that of an older store. */
const REST_MS = 20;

/** The progress of indexing, in messages. */
export interface IndexProgress {
  readonly done: number;
  readonly of: number;
}

/**
 * Fills the search index in the background: a transaction pays more for touching the index than for the message. A search
 * waits until all messages are indexed, so that it finds the latest ones of any process. A store that an earlier Hermes
 * indexed in another way is indexed again like new messages, step by step.
 */
export class WordIndex implements Disposable {
  readonly #db: Connection;
  readonly #clock: Clock;
  #timer: Disposable | null = null;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Resolves when all messages are in the index. Calls `onProgress` after each step that leaves some. Throws STORE_BUSY,
   * STORE_CLOSED, STORE_FULL.
   */
  async fill(onProgress?: (progress: IndexProgress) => void): Promise<void> {
    while (await this.#db.read(() => this.#isBehind())) {
      const isMore = await this.#db.write(() => this.#addSome());
      if (onProgress && isMore) onProgress(await this.#db.read(() => this.#progress()));
    }
  }

  /** Schedules indexing. Call it after opening the file, and after a write. */
  fillSoon(afterMs = SOON_MS): void {
    this.#timer ??= this.#clock.setTimer(afterMs, () => {
      this.#timer = null;
      // A search tries again, and reports a failure.
      this.#takeIn().catch(() => {});
    });
  }

  /** Indexes one step. Later messages wait for the next time: in a flood, following each message would cost too much. */
  async #takeIn(): Promise<void> {
    if (!(await this.#db.read(() => this.#isBehind()))) return;
    if (await this.#db.write(() => this.#addSome())) this.fillSoon(REST_MS);
  }

  #progress(): IndexProgress {
    // Uses numbers in place of counts: they have few gaps, and counting a million messages takes long.
    const row = this.#db.get<{ done: number; last: number }>(
      "SELECT (SELECT up_to FROM indexed) AS done, (SELECT coalesce(max(number), 0) FROM messages) AS last",
    );
    return { done: row?.done ?? 0, of: row?.last ?? 0 };
  }

  #isBehind(): boolean {
    return this.#db.get("SELECT 1 FROM messages WHERE number > (SELECT up_to FROM indexed) LIMIT 1") !== undefined;
  }

  #upTo(): number {
    return this.#db.get<{ up_to: number }>("SELECT up_to FROM indexed")?.up_to ?? 0;
  }

  /** The next messages after `number`; the text is null for one that was taken out of its transcript. */
  #next(number: number): { readonly number: number; readonly text: string | null }[] {
    return this.#db.all(
      `SELECT number, iif(hidden_at IS NULL, text, NULL) AS text FROM messages
       WHERE number > CAST(+? AS INTEGER) ORDER BY number LIMIT +?`,
      number,
      READ_TOGETHER,
    );
  }

  /** Indexes some messages. False when no more are left. */
  #addSome(): boolean {
    let upTo = this.#upTo();
    let count = 0;
    let length = 0;
    while (count < MOST_TOGETHER && length < LONG_TOGETHER) {
      const next = this.#next(upTo);
      for (const { number, text } of next) {
        upTo = number;
        length += text?.length ?? 0;
        if (text !== null) this.#add(number, text);
      }
      count += next.length;
      if (next.length < READ_TOGETHER) break;
    }
    if (count > 0) this.#db.run("UPDATE indexed SET up_to = CAST(? AS INTEGER)", upTo);
    return count >= MOST_TOGETHER || length >= LONG_TOGETHER;
  }

  #add(number: number, text: string): void {
    const { words, signs } = indexedWords(text);
    this.#db.run(
      "INSERT INTO message_index (rowid, words, signs) VALUES (CAST(? AS INTEGER), ?, ?)",
      ...[number, words, signs],
    );
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
