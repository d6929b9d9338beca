import type { Clock } from "./clock.ts";

/** The share of an interval that a timer may fire early without a second call. */
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
  const wait = (leastMs: number) => {
    if (isOver) return;
    const restMs = untilNext(clock, everyMs);
    timer = clock.setTimer(restMs < leastMs ? restMs + everyMs : restMs, () => {
      const running = run();
      if (running instanceof Promise) void running.finally(again);
      else again();
    });
  };
  const again = () => wait(everyMs * TOLERANCE);
  wait(0);
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
  return everyMs - ((now - origin) % everyMs);
}
