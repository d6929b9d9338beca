import type { Clock } from "@hermes/core";

/** A clock that stands still until a test turns it. */
export interface VirtualClock extends Clock {
  /** How many timers are set. */
  readonly timers: number;
  /** Whether somebody waits for a timer that was set to this length, in milliseconds. */
  isWaiting(delayMs: number): boolean;
  /** Sets the wall clock on, or back, by so many milliseconds. `steady` and the timers go on as before. */
  setWall(byMs: number): void;
  /** The same time as another machine counts it, or this one after it was started anew. */
  onBoot(boot: string): Clock;
  /** Turns the clock on, running each timer at its time, and lets what they set going come to rest. */
  advance(ms: number): Promise<void>;
}

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
    // Its own count is ahead or behind: only wall time compares.
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
