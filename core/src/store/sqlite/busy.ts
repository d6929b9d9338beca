import { type Clock, sleep } from "../../base/clock.ts";
import type { HermesError } from "../../base/errors.ts";

/** Milliseconds that the driver itself waits for a lock, which blocks the event loop. */
export const DRIVER_WAIT_MS = 10;

/** How to wait for a busy file. */
export interface BusyPolicy {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
  /** Makes the error for when the time is up. */
  readonly giveUp: () => HermesError;
}

/** Whether `error` says that another connection has the lock. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"));
}

/**
 * Runs `work`, and retries it while the file is locked. Between attempts the event loop is free; jitter keeps processes
 * that wait for the same file from retrying in step. `since` is when the wait began, on the monotonic clock.
 */
export async function untilFree<T>(work: () => T, since: number, policy: BusyPolicy): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const leftMs = since + policy.timeoutMs - policy.clock.steady().ms;
      if (leftMs <= 0) throw policy.giveUp();
      const pauseMs = Math.min(20 * 2 ** Math.min(attempt, 3), leftMs) * (0.5 + policy.random() / 2);
      await sleep(policy.clock, Math.max(1, Math.ceil(pauseMs)), policy.signal);
    }
  }
}
