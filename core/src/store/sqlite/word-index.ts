import type { Clock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";

/** How long after a write its messages are indexed, in milliseconds: those of a flood go together. */
const SOON_MS = 500;

/** How many messages are indexed in one transaction: it holds nobody up for long. */
const MOST_TOGETHER = 200;

/**
 * Fills the index that a search reads, behind the messages: each transaction that touches the index pays more for it than
 * for the message. A search waits until all of them are in, so that it finds what was written just before, by whichever
 * process.
 */
export class WordIndex implements Disposable {
  readonly #db: Connection;
  readonly #clock: Clock;
  #timer: Disposable | null = null;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Resolves when each message that is there is in the index. Throws STORE_BUSY, STORE_CLOSED, STORE_FULL. */
  async fill(): Promise<void> {
    while (await this.#db.read(() => this.#next() !== undefined)) await this.#db.write(() => this.#addSome());
  }

  /** Takes in a little later what is there then. To be called after a write. */
  fillSoon(): void {
    this.#timer ??= this.#clock.setTimer(SOON_MS, () => {
      this.#timer = null;
      // Whoever searches learns of a failure, and tries again.
      this.#takeIn().catch(() => {});
    });
  }

  /** What is written meanwhile waits for the next time: in a flood, to keep up with each message costs as much as that. */
  async #takeIn(): Promise<void> {
    if (!(await this.#db.read(() => this.#next() !== undefined))) return;
    while ((await this.#db.write(() => this.#addSome())) === MOST_TOGETHER);
  }

  /** The number of the last message that goes with the next ones; undefined when all are in. */
  #next(): number | undefined {
    return this.#db.get<{ number: number }>(
      `SELECT number FROM (
         SELECT number FROM messages WHERE number > (SELECT up_to FROM words_indexed) ORDER BY number LIMIT ?
       ) ORDER BY number DESC LIMIT 1`,
      MOST_TOGETHER,
    )?.number;
  }

  /** How many messages it took in. */
  #addSome(): number {
    const last = this.#next();
    if (last === undefined) return 0;
    const count = this.#db.run(
      `INSERT INTO message_words (rowid, text) SELECT number, text FROM readable_messages
       WHERE number > (SELECT up_to FROM words_indexed) AND number <= CAST(? AS INTEGER)`,
      last,
    );
    this.#db.run("UPDATE words_indexed SET up_to = ?", last);
    return count;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
