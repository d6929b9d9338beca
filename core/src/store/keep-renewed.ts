import type { Clock } from "../base/clock.ts";
import { regularly } from "../base/regularly.ts";

export interface Renewal {
  readonly clock: Clock;
  /** Milliseconds until the lease expires without a renewal. */
  readonly leaseMs: number;
  /** False when another process has the lease. */
  readonly renew: () => Promise<boolean>;
  /** Called once when the lease is lost; no renewal follows. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
}

/** Renews a lease three times per lease length, until it is lost or this is disposed of. */
export function keepRenewed({ clock, leaseMs, renew, onLost, onError }: Renewal): Disposable {
  let isOver = false;
  const end = () => {
    isOver = true;
    renewing[Symbol.dispose]();
  };
  const renewing = regularly(clock, leaseMs / 3, async () => {
    try {
      if ((await renew()) || isOver) return;
      end();
      onLost();
    } catch (error) {
      // The store may be busy for a moment; the lease outlasts two renewals that fail.
      onError(error);
    }
  });
  return { [Symbol.dispose]: end };
}
