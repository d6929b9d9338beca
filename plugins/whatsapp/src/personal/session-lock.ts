import { AsyncLocalStorage } from "node:async_hooks";

/** Lets one thing at a time change the Signal sessions; what belongs to it runs within it. */
export class SessionLock {
  readonly #holder = new AsyncLocalStorage<{ isHeld: boolean }>();
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#holder.getStore()?.isHeld) return work();
    const hold = { isHeld: true };
    const result = this.#last
      .then(() => this.#holder.run(hold, work))
      .finally(() => {
        hold.isHeld = false;
      });
    this.#last = result.catch(() => {});
    return result;
  }
}
