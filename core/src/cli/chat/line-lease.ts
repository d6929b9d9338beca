import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { keepRenewed } from "../../store/keep-renewed.ts";
import type { TypedLines } from "../../store/message-stores.ts";

/** How long the lease on what a terminal has in the store lasts without being renewed, in milliseconds. */
export const LEASE_MS = 15_000;

interface LineLeaseDeps {
  readonly lines: TypedLines;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly logger: Logger;
}

/** The lease on the lines that a terminal has in the store: what was typed ahead, and what commands put out. */
export class LineLease implements Disposable {
  readonly #deps: LineLeaseDeps;
  readonly #onLost: () => void;
  #renewing: Disposable | null = null;

  /** `onLost`: another terminal has taken the lines over while this one slept. */
  constructor(deps: LineLeaseDeps, onLost: () => void = () => {}) {
    this.#deps = deps;
    this.#onLost = onLost;
  }

  /** Renews the lease from now on, until it is lost or this is disposed of. It may begin again then. */
  keep(): void {
    const { lines, clock, holder, logger } = this.#deps;
    this.#renewing ??= keepRenewed({
      clock,
      leaseMs: LEASE_MS,
      renew: () => lines.renew(holder, LEASE_MS),
      onLost: () => {
        this[Symbol.dispose]();
        this.#onLost();
      },
      onError: (error) => logger.warn({ error }, "the lease on what was typed or put out could not be renewed"),
    });
  }

  [Symbol.dispose](): void {
    this.#renewing?.[Symbol.dispose]();
    this.#renewing = null;
  }
}
