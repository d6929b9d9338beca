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
 * Returns a signal that aborts with a TimeoutError after `ms` milliseconds. Dispose of it when the call is over:
 * `AbortSignal.timeout` would be kept until its time is up, and a minute of calls is thousands of them.
 *
 * @example
 * ```ts
 * using limit = timeLimit(30_000);
 * const text = await (await fetch(url, { signal: limit.signal })).text();
 * ```
 */
export function timeLimit(ms: number): Disposable & { readonly signal: AbortSignal } {
  const limit = new AbortController();
  const late = () => limit.abort(new DOMException(`There was no answer within ${ms} ms`, "TimeoutError"));
  const timer = setTimeout(late, ms).unref();
  return { signal: limit.signal, [Symbol.dispose]: () => clearTimeout(timer) };
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
