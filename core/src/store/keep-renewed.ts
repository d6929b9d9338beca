import type { Clock } from "../base/clock.ts";

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
  let timer: Disposable | null = null;
  let isOver = false;
  const later = () => {
    timer = clock.setTimer(leaseMs / 3, async () => {
      try {
        if (!(await renew()) && !isOver) {
          isOver = true;
          onLost();
        }
      } catch (error) {
        // The store may be busy for a moment; the lease outlasts two renewals that fail.
        onError(error);
      }
      if (!isOver) later();
    });
  };
  later();
  return {
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}
