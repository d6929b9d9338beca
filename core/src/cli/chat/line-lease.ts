import { keepRenewed } from "../../store/keep-renewed.ts";
import type { TerminalHost } from "../context.ts";

/** How long the lease on what a terminal has in the store lasts without being renewed, in milliseconds. */
export const LEASE_MS = 15_000;

/** The lease on the lines that a terminal has in the store: what was typed ahead, and what commands put out. */
export class LineLease implements Disposable {
  readonly #host: TerminalHost;
  readonly #onLost: () => void;
  #renewing: Disposable | null = null;

  /** `onLost`: another terminal has taken the lines over while this one slept. */
  constructor(host: TerminalHost, onLost: () => void = () => {}) {
    this.#host = host;
    this.#onLost = onLost;
  }

  /** Renews the lease from now on, until it is lost or this is disposed of. It may begin again then. */
  keep(): void {
    const { promptStore, clock, holder, logger } = this.#host;
    this.#renewing ??= keepRenewed({
      clock,
      leaseMs: LEASE_MS,
      renew: () => promptStore.typedLines.renew(holder, LEASE_MS),
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
