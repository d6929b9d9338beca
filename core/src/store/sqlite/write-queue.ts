import { type BusyPolicy, untilFree } from "./busy.ts";

interface Asked {
  readonly work: () => unknown;
  readonly since: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** More than that, and a transaction would keep other processes and this one's other work waiting. */
const MOST_TOGETHER = 64;

/**
 * Makes writes in the order in which they were asked for. Those of one turn of the event loop share a transaction, since
 * a commit costs more than most writes: what many conversations have to store at the same time is stored at the price of
 * one. Each is done when the transaction is. Where one of them fails, nothing was stored, and each is made alone.
 */
export class WriteQueue {
  readonly #transact: <T>(work: () => T) => T;
  readonly #policy: BusyPolicy;
  /** What is not settled yet, in order. */
  readonly #asked: Asked[] = [];
  #isDraining = false;

  /** `transact` runs `work` in a transaction, of which nothing stays when it throws. */
  constructor(transact: <T>(work: () => T) => T, policy: BusyPolicy) {
    this.#transact = transact;
    this.#policy = policy;
  }

  /** `work` may run several times: what counts is what it returned last. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = this.#policy.clock.now();
      this.#asked.push({ work, since, resolve: (result) => resolve(result as T), reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  /** To be called before the file is closed: makes at once what was asked for, unless that has to wait. */
  flush(): void {
    try {
      this.#make([...this.#asked]);
    } catch {
      // It stays asked for, and learns next that the file is closed.
    }
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    let alone = 0;
    while (this.#asked.length > 0) {
      if (alone === 0) await new Promise(setImmediate);
      const batch = this.#asked.slice(0, alone > 0 ? 1 : MOST_TOGETHER);
      try {
        await untilFree(() => this.#make(batch), batch[0]?.since ?? 0, this.#policy);
      } catch (error) {
        // One of them is refused, or has waited for as long as it may, or the file gave way.
        if (batch.length > 1) alone = batch.length + 1;
        else if (this.#asked[0] === batch[0]) this.#asked.shift()?.reject(error);
      }
      alone = Math.max(0, alone - 1);
    }
    this.#isDraining = false;
  }

  /** The batch is what was asked for first. It is settled when all of it is stored. */
  #make(batch: readonly Asked[]): void {
    const results = this.#transact(() => batch.map(({ work }) => work()));
    this.#asked.splice(0, batch.length);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
  }
}
