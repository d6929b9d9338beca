import type { Clock } from "../base/clock.ts";

/** What `work` comes to, or a rejection with what `late` makes once `ms` have gone by; the work itself goes on. */
export function withDeadline<T>(clock: Clock, ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => reject(late()));
    work.then(resolve, reject).finally(() => timer[Symbol.dispose]());
  });
}
