import type { Clock } from "@hermes/core";

/** A clock that stands still until a test advances it. */
export interface VirtualClock extends Clock {
  /** The number of pending timers. */
  readonly timers: number;
  /** Whether a timer with this delay, in milliseconds, is pending. */
  isWaiting(delayMs: number): boolean;
  /** Sets the wall clock forward, or back, by milliseconds. Does not affect `steady` and timers. */
  setWall(byMs: number): void;
  /** The same time on another machine's clock, or on this machine's after a reboot. */
  onBoot(boot: string): Clock;
  /** Advances the clock, running each timer at its time, and waits until the work that they start settles. */
  advance(ms: number): Promise<void>;
}

/** Creates a clock that stands still until a test moves it. `startAt`: milliseconds since 1970. */
export function createVirtualClock(startAt = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = startAt;
  let wallAheadMs = 0;
  let nextId = 0;
  const timers = new Map<number, { at: number; delayMs: number; run: () => void }>();
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

  const clock: VirtualClock = {
    now: () => now + wallAheadMs,
    steady: () => ({ boot: "boot-1", ms: now - startAt }),
    setWall(byMs) {
      wallAheadMs += byMs;
    },
    // The monotonic time of another boot has another offset: only wall time can be compared.
    onBoot: (boot) => ({ ...clock, steady: () => ({ boot, ms: (now - startAt) * 2 + 1_000_000 }) }),
    get timers() {
      return timers.size;
    },
    isWaiting: (delayMs) => [...timers.values()].some((timer) => timer.delayMs === delayMs),
    setTimer(delayMs, run) {
      const id = nextId++;
      timers.set(id, { at: now + Math.max(delayMs, 0), delayMs, run });
      return { [Symbol.dispose]: () => timers.delete(id) };
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
        if (!due) break;
        const [id, timer] = due;
        timers.delete(id);
        now = Math.max(now, timer.at);
        timer.run();
        await settle();
      }
      now = until;
      await settle();
    },
  };
  return clock;
}
