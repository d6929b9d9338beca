import { type Clock, sleep } from "../base/clock.ts";
import { asHermesError, type HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";

/** Milliseconds between two attempts to write to a busy store. */
const ASK_AGAIN_MS = 1_000;

/** What there is to write is not given up because another process keeps the store busy, however long that takes. */
export async function untilTaken<T>(
  write: () => Promise<T>,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  signal: AbortSignal,
  tell?: (error: HermesError) => void | Promise<void>,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await write();
    } catch (thrown) {
      const error = asHermesError(thrown);
      if (error.code !== "STORE_BUSY" || signal.aborted) throw thrown;
      logger.warn({ error }, "the store is busy; what a turn has to say waits for it");
      if (!isTold) await tell?.(error);
      await sleep(clock, ASK_AGAIN_MS, signal);
    }
  }
}
