import { backOff } from "../base/back-off.ts";
import { type Clock, sleep } from "../base/clock.ts";
import { PlatformError } from "../base/errors.ts";

/** A platform that cannot be reached is asked again after 1 s, 2 s, 4 s, and then every 5 s. */
const ASK_AGAIN = { firstMs: 1_000, lastMs: 5_000 };

/**
 * Asks a platform, and asks it again while it cannot be reached, until `until` (a time of the clock). Throws what it says
 * then, or at once what another attempt would not mend. For questions only: what was asked may have been done.
 */
export async function whileUnreachable<T>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  until: number,
  ask: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof PlatformError) || !error.retryable || signal.aborted) throw error;
      const waitMs = Math.max(backOff(failures, ASK_AGAIN), error.retryAfterMs ?? 0);
      if (clock.now() + waitMs > until) throw error;
      await sleep(clock, waitMs, signal);
      if (signal.aborted) throw error;
    }
  }
}
