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
 * Returns a signal that aborts with a TimeoutError after `ms` milliseconds, and as the first of `others` does. Dispose
 * of it when the call is over: `AbortSignal.timeout` would be kept until its time is up, and a minute of calls is
 * thousands of them.
 *
 * @example
 * ```ts
 * using limit = timeLimit(30_000, signal);
 * const text = await (await fetch(url, { redirect: "error", signal: limit.signal })).text();
 * ```
 */
export function timeLimit(
  ms: number,
  ...others: readonly (AbortSignal | undefined)[]
): Disposable & { readonly signal: AbortSignal } {
  const limit = abortedWith(...others);
  const late = () => limit.abort(new DOMException(`There was no answer within ${ms} ms`, "TimeoutError"));
  const timer = setTimeout(late, ms).unref();
  return {
    signal: limit.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      limit[Symbol.dispose]();
    },
  };
}

/**
 * Returns a controller whose signal also aborts as the first of `signals` does, with its reason. Dispose of it when the
 * call is over: then nothing of it stays with those, which may last as long as the process. It costs a fraction of
 * `AbortSignal.any`.
 *
 * @example
 * ```ts
 * using ending = abortedWith(signal, stopping.signal);
 * await work(ending.signal);
 * ```
 */
export function abortedWith(...signals: readonly (AbortSignal | undefined)[]): AbortController & Disposable {
  const controller = new AbortController();
  const follow = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal?.aborted) controller.abort(signal.reason);
    else signal?.addEventListener("abort", follow, { once: true });
  }
  const leave = () => {
    for (const signal of signals) signal?.removeEventListener("abort", follow);
  };
  return Object.assign(controller, { [Symbol.dispose]: leave });
}

/**
 * Runs `work` with a signal that aborts as `signal` does, and with `late` after `ms` milliseconds. Settles as the work
 * does, or rejects with the signal's reason as soon as it aborts, even if the work ignores it. The timer keeps the
 * process alive.
 *
 * @example
 * ```ts
 * const late = new Error("no answer within 5 s");
 * await runWithin(clock, 5_000, signal, (limited) => fetch(url, { redirect: "error", signal: limited }), late);
 * ```
 */
export async function runWithin<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: Error,
): Promise<T> {
  using limited = abortedWith(signal);
  using _timer = clock.setTimer(ms, () => limited.abort(late), { keepsAlive: true });
  return await untilAborted(work(limited.signal), limited.signal);
}
