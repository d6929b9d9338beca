import type { Clock } from "../base/clock.ts";

/** How long code that a config runs or names may take to load, in milliseconds. */
const LOADED_WITHIN_MS = 15_000;

/** What `work` comes to, where it does so in time: code that waits for what never comes would hold up every command. */
export function inTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`it was not done after ${LOADED_WITHIN_MS / 1000} s`));
    const timer = clock.setTimer(LOADED_WITHIN_MS, late, { keepsAlive: true });
    work.then(resolve, reject).finally(() => timer[Symbol.dispose]());
  });
}
