import { asHermesError } from "../../base/errors.ts";
import { type BusyPolicy, isBusy, untilFree } from "./busy.ts";

interface QueuedWrite {
  readonly work: () => unknown;
  readonly since: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Most writes in one transaction: a longer one would block other processes and the event loop. */
const MOST_TOGETHER = 64;

/** Milliseconds after which a transaction takes no more writes in, for the same reason. */
const LONG_ENOUGH_MS = 10;

/**
 * Runs writes in order and commits them in groups: the writes of one event-loop turn share a transaction, since a commit
 * costs more than most writes. Each write resolves when its transaction commits. If one write of a group fails, the group
 * is rolled back and each write runs in a transaction of its own.
 */
export class WriteQueue {
  readonly #transact: <T>(work: () => T) => T;
  readonly #policy: BusyPolicy;
  /** Writes that are not settled yet, in order. */
  readonly #asked: QueuedWrite[] = [];
  #isDraining = false;

  /** `transact` runs `work` in a transaction, of which nothing stays when it throws. */
  constructor(transact: <T>(work: () => T) => T, policy: BusyPolicy) {
    this.#transact = transact;
    this.#policy = policy;
  }

  /** Queues a write. `work` may run several times; the last result counts. */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = this.#policy.clock.steady().ms;
      this.#asked.push({ work, since, resolve: (result) => resolve(result as T), reject });
      if (!this.#isDraining) void this.#drain();
    });
  }

  /** Runs the queued writes at once, unless the file is locked; call it before the file is closed. */
  flush(): void {
    let alone = 0;
    while (this.#asked.length > 0) {
      try {
        this.#make(alone > 0 ? 1 : MOST_TOGETHER);
        alone = Math.max(0, alone - 1);
      } catch (error) {
        // The write stays queued, and fails once the file is closed.
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

  /** Runs the first queued writes, at most `most`, in one transaction, and resolves them when it is stored. */
  #make(most: number): void {
    const results: unknown[] = [];
    this.#transact(() => {
      const until = this.#policy.clock.steady().ms + LONG_ENOUGH_MS;
      for (const { work } of this.#asked.slice(0, most)) {
        results.push(work());
        if (this.#policy.clock.steady().ms >= until) break;
      }
    });
    for (const [index, { resolve }] of this.#asked.splice(0, results.length).entries()) resolve(results[index]);
  }

  /** Handles a write or a file that failed. Returns how many writes to run alone from now on. */
  #afterFailure(alone: number, error: unknown): number {
    if (alone === 0 && this.#asked.length > 1) return Math.min(this.#asked.length, MOST_TOGETHER);
    this.#asked.shift()?.reject(error);
    return Math.max(0, alone - 1);
  }

  /** Rejects all writes whose time is up together: a separate attempt for each would delay everything else. */
  #giveUp(error: unknown): void {
    const since = this.#policy.clock.steady().ms - this.#policy.timeoutMs;
    const others = this.#asked.findIndex((asked) => asked.since > since);
    for (const { reject } of this.#asked.splice(0, others < 0 ? this.#asked.length : others)) reject(error);
  }
}
