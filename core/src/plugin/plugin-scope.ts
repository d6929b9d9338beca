import type { Clock } from "../base/clock.ts";
import type { PluginScope } from "./descriptor.ts";

export interface OwnedPluginScope extends PluginScope {
  /** Aborts the scope's signal without running clean-up yet. */
  abort(): void;
  /**
   * Runs all clean-up steps in reverse order, even if some throw. Returns the errors. Idempotent.
   */
  dispose(): Promise<unknown[]>;
}

/** Makes the scope of one life of a plugin. `onTimerError` hears what a timer's function throws. */
export function createPluginScope(clock: Clock, onTimerError: (error: unknown) => void): OwnedPluginScope {
  const ending = new AbortController();
  const steps = new Set<() => void | Promise<void>>();

  const runStep = async (undo: () => void | Promise<void>): Promise<unknown[]> => {
    try {
      await undo();
      return [];
    } catch (error) {
      return [error];
    }
  };

  return {
    signal: ending.signal,
    onDispose(undo) {
      // What a plugin sets going after its end is undone at once.
      if (ending.signal.aborted) void runStep(undo);
      else steps.add(undo);
    },
    setTimer(delayMs, run) {
      if (ending.signal.aborted) return { [Symbol.dispose]() {} };
      const timer = clock.setTimer(delayMs, async () => {
        steps.delete(cancel);
        try {
          await run();
        } catch (error) {
          onTimerError(error);
        }
      });
      const cancel = () => {
        steps.delete(cancel);
        timer[Symbol.dispose]();
      };
      steps.add(cancel);
      return { [Symbol.dispose]: cancel };
    },
    abort: () => ending.abort(),
    async dispose() {
      ending.abort();
      const errors: unknown[] = [];
      for (const undo of [...steps].reverse()) {
        steps.delete(undo);
        errors.push(...(await runStep(undo)));
      }
      return errors;
    },
  };
}
