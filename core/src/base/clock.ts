import { steadyClockId } from "./boot-id.ts";

/** A moment that stays where it is when somebody sets the machine's clock. */
export interface SteadyTime {
  /** The boot of the machine that `ms` counts in; null where the system names none, and moments do not compare. */
  readonly boot: string | null;
  /** Milliseconds since some moment of that boot. What a machine sleeps through need not count. */
  readonly ms: number;
}

/** The time and its timers. Tests use a virtual clock instead, which they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Now, by a clock that all processes of this machine and boot share and that nobody sets: leases count on it. */
  steady(): SteadyTime;
  /**
   * Calls `run` once after `delayMs`; disposing the timer cancels it. A process that has nothing else to do does not
   * stay for it, unless `keepsAlive`.
   */
  setTimer(delayMs: number, run: () => void, options?: { readonly keepsAlive?: boolean }): Disposable;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady() {
    // Unlike `performance.now()` the same for all processes: the system's monotonic clock. On Linux it stands still while
    // the machine sleeps, as all processes do, so that nobody loses a lease to whoever wakes up first.
    const [seconds, nanoseconds] = process.hrtime();
    return { boot: steadyClockId(), ms: seconds * 1000 + Math.floor(nanoseconds / 1e6) };
  },
  setTimer(delayMs, run, options) {
    // Node fires at once for a delay that does not fit 31 bits.
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
    if (!options?.keepsAlive) timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/**
 * Resolves after `delayMs`, or at once when `signal` aborts (it does not reject: a loop looks at the signal itself).
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    // Somebody waits for it: a process that left now would leave in the middle of something, and without a word.
    const timer = clock.setTimer(delayMs, done, { keepsAlive: true });
    signal?.addEventListener("abort", done, { once: true });
  });
}
