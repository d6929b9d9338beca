import { asHermesError } from "../../base/errors.ts";
import { type BusyPolicy, isBusy, untilFree } from "./busy.ts";

interface Asked {
  readonly work: () => unknown;
  readonly since: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** More than that, and a transaction would keep other processes and this one's other work waiting. */
const MOST_TOGETHER = 64;

/** For the same reason a transaction that has gone on for so long takes nothing more in, in milliseconds. */
const LONG_ENOUGH_MS = 10;

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
    let alone = 0;
    while (this.#asked.length > 0) {
      try {
        this.#make(alone > 0 ? 1 : MOST_TOGETHER);
        alone = Math.max(0, alone - 1);
      } catch (error) {
        // It stays asked for, and learns next that the file is closed.
        if (isBusy(error)) return;
        alone = this.#afterFailure(alone, error);
      }
    }
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    let alone = 0;
    while (this.#asked.length > 0) {
      await new Promise(setImmediate);
      try {
        await untilFree(() => this.#make(alone > 0 ? 1 : MOST_TOGETHER), this.#asked[0]?.since ?? 0, this.#policy);
        alone = Math.max(0, alone - 1);
      } catch (error) {
        if (asHermesError(error).code === "STORE_BUSY") this.#giveUp(error);
        else alone = this.#afterFailure(alone, error);
      }
    }
    this.#isDraining = false;
  }

  /** Makes what was asked for first, `most` at most, and settles it when all of it is stored. */
  #make(most: number): void {
    const results: unknown[] = [];
    this.#transact(() => {
      const until = this.#policy.clock.now() + LONG_ENOUGH_MS;
      for (const { work } of this.#asked.slice(0, most)) {
        results.push(work());
        if (this.#policy.clock.now() >= until) break;
      }
    });
    for (const [index, { resolve }] of this.#asked.splice(0, results.length).entries()) resolve(results[index]);
  }

  /** One was refused, or the file gave way. How many are to be made alone from now on. */
  #afterFailure(alone: number, error: unknown): number {
    if (alone === 0 && this.#asked.length > 1) return Math.min(this.#asked.length, MOST_TOGETHER);
    this.#asked.shift()?.reject(error);
    return Math.max(0, alone - 1);
  }

  /** All that have waited for as long as they may learn it at once: each attempt of its own would hold everything up. */
  #giveUp(error: unknown): void {
    const since = this.#policy.clock.now() - this.#policy.timeoutMs;
    const others = this.#asked.findIndex((asked) => asked.since > since);
    for (const { reject } of this.#asked.splice(0, others < 0 ? this.#asked.length : others)) reject(error);
  }
}
