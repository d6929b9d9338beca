import { steadyClockId } from "./boot-id.ts";

/** A time on a monotonic clock: setting the machine's clock does not change it. */
export interface SteadyTime {
  /** The boot in which `ms` counts; null where the system has no boot id, and then two times cannot be compared. */
  readonly boot: string | null;
  /** Milliseconds since some moment of that boot. Time in which the machine sleeps may be left out. */
  readonly ms: number;
}

/** The current time, and timers. Tests use a virtual clock, which they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The current time of a monotonic clock that all processes of this machine and boot share. Leases use it. */
  steady(): SteadyTime;
  /**
   * Calls `run` once after `delayMs`; disposing the timer cancels it. The timer does not keep the process alive unless
   * `keepsAlive`.
   */
  setTimer(delayMs: number, run: () => void, options?: { readonly keepsAlive?: boolean }): Disposable;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady() {
    // The system's monotonic clock: unlike `performance.now()`, it is the same for all processes. On Linux it stops while
    // the machine sleeps, as all processes do, so that nobody loses a lease to the process that wakes up first.
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

/** Resolves after `delayMs`, or as soon as `signal` aborts. It does not reject then: a loop checks the signal itself. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      timer[Symbol.dispose]();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    // Somebody waits for this: without the timer, the process could exit silently in the middle of its work.
    const timer = clock.setTimer(delayMs, done, { keepsAlive: true });
    signal?.addEventListener("abort", done, { once: true });
  });
}
