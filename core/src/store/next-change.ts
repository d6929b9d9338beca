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
  const over = new AbortController();
  let hasChanged = false;
  const watching = store.watch(() => {
    hasChanged = true;
    leave();
  });
  const leave = () => over.abort(OVER);
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave, { once: true });
  return {
    async within(ms) {
      await sleep(clock, ms, over.signal);
      return hasChanged;
    },
    [Symbol.dispose]() {
      watching[Symbol.dispose]();
      signal?.removeEventListener("abort", leave);
      leave();
    },
  };
}
