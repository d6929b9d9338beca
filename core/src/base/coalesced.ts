/**
 * Coalesces concurrent calls of one piece of work: calls made during a run share one more run after it. So the run that a
 * call waits for always sees what changed before that call.
 *
 * @example
 * ```ts
 * const look = new Coalesced(async () => show(await store.read()));
 * store.watch(() => void look.run());
 * ```
 */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | null = null;
  #isAskedAgain = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when nothing is left to do; rejects when the work fails. */
  run(): Promise<void> {
    this.#isAskedAgain = true;
    // In a microtask, so that work which calls `run` synchronously finds that a run is in progress.
    this.#running ??= Promise.resolve().then(() => this.#run());
    return this.#running;
  }

  /** Settles as the current run does; resolves at once when none is in progress. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAskedAgain) {
        this.#isAskedAgain = false;
        await this.#work();
      }
    } finally {
      this.#running = null;
    }
  }
}
