import type { Clock } from "./clock.ts";

/** The share of an interval that a timer may be early, or a call late, without an extra or a missing call. */
const TOLERANCE = 0.1;

/** The moment from which the intervals of a clock count, on its steady time. */
const origins = new WeakMap<Clock, number>();

/**
 * Calls `run` every `everyMs` milliseconds until it is disposed of, the first time within that time. All intervals of a
 * clock count from one moment: what is due together wakes the process once, and shares one transaction of the store.
 * While a call's promise is not settled, no other call is made. `run` must not reject. The timer does not keep the
 * process alive.
 *
 * @example
 * ```ts
 * using beats = regularly(clock, 5_000, () => store.gateways.heartbeat(row));
 * ```
 */
export function regularly(clock: Clock, everyMs: number, run: () => unknown): Disposable {
  let timer: Disposable | null = null;
  let isOver = false;
  const wait = () => {
    if (isOver) return;
    timer = clock.setTimer(untilNext(clock, everyMs), () => {
      const running = run();
      if (running instanceof Promise) void running.finally(wait);
      else wait();
    });
  };
  wait();
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}

function untilNext(clock: Clock, everyMs: number): number {
  const now = clock.steady().ms;
  const origin = origins.get(clock) ?? now;
  origins.set(clock, origin);
  const rest = everyMs - ((now - origin) % everyMs);
  // A timer may fire a little before its time: that call is not repeated.
  return rest < everyMs * TOLERANCE ? rest + everyMs : rest;
}
