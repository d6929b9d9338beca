/** The time and its timers. Tests use a virtual clock instead, which they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `run` once after `delayMs`; disposing the timer cancels it. A process that has nothing else to do does not
   * stay for it, unless `keepsAlive`.
   */
  setTimer(delayMs: number, run: () => void, options?: { readonly keepsAlive?: boolean }): Disposable;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
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
