import { type Clock, sleep } from "../../base/clock.ts";
import type { HermesError } from "../../base/errors.ts";

/** How long the driver itself waits for a lock, which holds up everything else in the process. In milliseconds. */
export const DRIVER_WAIT_MS = 10;

/** How a busy file is waited for. */
export interface BusyPolicy {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly timeoutMs: number;
  /** Ends the waiting early. */
  readonly signal?: AbortSignal;
  /** The error when the time is up. */
  readonly giveUp: () => HermesError;
}

/** Whether `error` says that another connection has the lock. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"));
}

/**
 * Runs `work` until it meets no lock. Between two attempts the process is free for other things; the pauses vary, so
 * that processes which wait for one file do not come back in step. `since` is when the waiting began,
 * by the clock that nobody sets.
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
