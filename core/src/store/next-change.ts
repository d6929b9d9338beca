import { type Clock, sleep } from "../base/clock.ts";
import type { Store } from "./store.ts";

/** A wait for the next write to the store, by any process. */
export interface NextChange extends Disposable {
  /** Resolves to true once something was written; to false after `ms`, or when the signal aborts. */
  within(ms: number): Promise<boolean>;
}

/** Shared abort reason: without one, each abort creates an error with a stack trace, which costs more than the wait. */
const OVER = new Error("the wait is over");

/**
 * Starts listening for writes. Call it before you read the store, so that no write in between is missed:
 *
 * ```ts
 * using change = nextChange(store, clock, signal);
 * if (await isDone()) return;
 * await change.within(1_000);
 * ```
 */
export function nextChange(store: Store, clock: Clock, signal?: AbortSignal): NextChange {
  let hasChanged = false;
  // Made when somebody waits: mostly nobody has to, and a signal costs more than the look at the store.
  let over: AbortController | null = null;
  const leave = () => over?.abort(OVER);
  const watching = store.watch(() => {
    hasChanged = true;
    leave();
  });
  return {
    async within(ms) {
      if (hasChanged || signal?.aborted) return hasChanged;
      over = new AbortController();
      signal?.addEventListener("abort", leave, { once: true });
      await sleep(clock, ms, over.signal);
      signal?.removeEventListener("abort", leave);
      return hasChanged;
    },
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      leave();
    },
  };
}
