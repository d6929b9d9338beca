import type { Clock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";
import { indexedWords } from "./search-words.ts";

/** How long after a write its messages are indexed, in milliseconds: those of a flood go together. */
const SOON_MS = 500;

/** How many messages are indexed in one transaction: it holds nobody up for long. */
const MOST_TOGETHER = 200;
/** And of how much text, in UTF-16 units. */
const LONG_TOGETHER = 500_000;

/** How many are read at once; each may be long. */
const READ_TOGETHER = 20;

/** How long a rest is between two of many steps behind the scenes, in milliseconds: an older store is indexed anew. */
const REST_MS = 20;

/** How far the index is, in messages. */
export interface IndexProgress {
  readonly done: number;
  readonly of: number;
}

/**
 * Fills the index that a search reads, behind the messages: each transaction that touches the index pays more for it than
 * for the message. A search waits until all of them are in, so that it finds what was written just before, by whichever
 * process. What an earlier Hermes had indexed in another way is taken in again like what is new, a step after the other.
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
   * Resolves when each message that is there is in the index; `onProgress` hears after each step that more are left.
   * Throws STORE_BUSY, STORE_CLOSED, STORE_FULL.
   */
  async fill(onProgress?: (progress: IndexProgress) => void): Promise<void> {
    while (await this.#db.read(() => this.#isBehind())) {
      const isMore = await this.#db.write(() => this.#addSome());
      if (onProgress && isMore) onProgress(await this.#db.read(() => this.#progress()));
    }
  }

  /** Takes in a little later what is there then. To be called when the file was opened, and after a write. */
  fillSoon(afterMs = SOON_MS): void {
    this.#timer ??= this.#clock.setTimer(afterMs, () => {
      this.#timer = null;
      // Whoever searches learns of a failure, and tries again.
      this.#takeIn().catch(() => {});
    });
  }

  /** What is written meanwhile waits for the next time: in a flood, to keep up with each message costs as much as that. */
  async #takeIn(): Promise<void> {
    if (!(await this.#db.read(() => this.#isBehind()))) return;
    if (await this.#db.write(() => this.#addSome())) this.fillSoon(REST_MS);
  }

  #progress(): IndexProgress {
    // Numbers have few gaps, and to count a million messages takes long.
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

  /** Some messages behind `number`; without a text where they were taken out of their transcript. */
  #next(number: number): { readonly number: number; readonly text: string | null }[] {
    return this.#db.all(
      `SELECT number, iif(hidden_at IS NULL, text, NULL) AS text FROM messages
       WHERE number > CAST(? AS INTEGER) ORDER BY number LIMIT ?`,
      number,
      READ_TOGETHER,
    );
  }

  /** Takes some in. False when there are no more. */
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
