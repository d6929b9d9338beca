import type { Clock } from "../base/clock.ts";
import type { PluginScope } from "./descriptor.ts";

export interface OwnedPluginScope extends PluginScope {
  /** Aborts the scope's signal, and lets no timer begin any more; those that run go on. */
  abort(): void;
  /** Ends its timers, too. Idempotent. */
  dispose(): void;
}

/** Makes the scope of one life of a plugin. `onTimerError` hears what a timer's function throws. */
export function createPluginScope(clock: Clock, onTimerError: (error: unknown) => void): OwnedPluginScope {
  const ending = new AbortController();
  const timers = new Set<Disposable>();
  return {
    signal: ending.signal,
    setTimer(delayMs, run) {
      if (ending.signal.aborted) return { [Symbol.dispose]() {} };
      const timer = clock.setTimer(delayMs, async () => {
        timers.delete(timer);
        try {
          await run();
        } catch (error) {
          onTimerError(error);
        }
      });
      timers.add(timer);
      return {
        [Symbol.dispose]() {
          timers.delete(timer);
          timer[Symbol.dispose]();
        },
      };
    },
    abort: () => ending.abort(),
    dispose() {
      ending.abort();
      for (const timer of timers) timer[Symbol.dispose]();
      timers.clear();
    },
  };
}
