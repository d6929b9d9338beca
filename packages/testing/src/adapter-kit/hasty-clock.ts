import type { Clock } from "@hermes/core";

/** A clock whose timers can be made to fire early, so that pauses of minutes pass at once. The time of day stays right. */
export interface HastyClock extends Clock {
  /** Makes each timer fire `ms` milliseconds earlier. */
  hasten(ms: number): void;
}

interface Pending {
  dueAt: number;
  timer: Disposable;
  readonly fire: () => void;
}

export function createHastyClock(clock: Clock): HastyClock {
  const waiting = new Set<Pending>();
  return {
    now: () => clock.now(),
    steady: () => clock.steady(),
    setTimer(delayMs, run, options) {
      const fire = () => {
        if (waiting.delete(pending)) run();
      };
      const timer = clock.setTimer(delayMs, fire, options);
      const pending: Pending = { dueAt: clock.steady().ms + delayMs, timer, fire };
      waiting.add(pending);
      return {
        [Symbol.dispose]() {
          waiting.delete(pending);
          pending.timer[Symbol.dispose]();
        },
      };
    },
    hasten(ms) {
      for (const pending of waiting) {
        pending.timer[Symbol.dispose]();
        pending.dueAt -= ms;
        pending.timer = clock.setTimer(Math.max(pending.dueAt - clock.steady().ms, 0), pending.fire);
      }
    },
  };
}
