import type { Clock } from "./clock.ts";

/**
 * Resolves or rejects as `work` does, or rejects with the error that `late` makes once `ms` milliseconds have gone by.
 * The work itself goes on, and a process that has nothing else to do stays until then.
 *
 * @example
 * ```ts
 * await withDeadline(clock, 10_000, socket.open(), () => new Error("the socket did not open within 10 s"));
 * ```
 */
export function withDeadline<T>(clock: Clock, ms: number, work: T | PromiseLike<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => reject(late()), { keepsAlive: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => timer[Symbol.dispose]());
  });
}

/**
 * Whether `work` was done within `ms` milliseconds: true as soon as it is, false when the time is up, and the work goes
 * on then. Rejects when the work fails in time.
 *
 * @example
 * ```ts
 * if (!(await isDoneWithin(clock, 2_000, queue.idle()))) logger.warn({}, "messages are still on their way");
 * ```
 */
export function isDoneWithin(clock: Clock, ms: number, work: unknown): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => resolve(false), { keepsAlive: true });
    Promise.resolve(work)
      .then(() => resolve(true), reject)
      .finally(() => timer[Symbol.dispose]());
  });
}

/**
 * Resolves or rejects as `work` does, or rejects when `signal` aborts: at once, also where the work pays no heed to the
 * signal. The error is the signal's reason, or what `reason` makes.
 *
 * @example
 * ```ts
 * const file = await untilAborted(library.download(id), signal);
 * ```
 */
export function untilAborted<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (!signal) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason());
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
