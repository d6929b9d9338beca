import type { Clock } from "./clock.ts";

/**
 * Settles as `work` does, or rejects with the error that `late` makes after `ms` milliseconds. The work itself is not
 * cancelled. The timer keeps the process alive.
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
 * Resolves to whether `work` resolved within `ms` milliseconds; rejects when it fails within that time. The work is not
 * cancelled when the time is up.
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
 * Settles as `work` does, or rejects as soon as `signal` aborts, even if the work ignores the signal. The error is the
 * signal's reason, or what `reason` returns.
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

/**
 * Runs `work` with a signal that aborts as `signal` does, and with `late` after `ms` milliseconds. Settles as the work does,
 * or rejects with the signal's reason as soon as it aborts, even if the work ignores it. The timer keeps the process alive.
 *
 * @example
 * ```ts
 * await runWithin(clock, 5_000, signal, (limited) => fetch(url, { signal: limited }), new Error("no answer within 5 s"));
 * ```
 */
export async function runWithin<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: Error,
): Promise<T> {
  const own = new AbortController();
  using _timer = clock.setTimer(ms, () => own.abort(late), { keepsAlive: true });
  const limited = AbortSignal.any([signal, own.signal]);
  return await untilAborted(work(limited), limited);
}
