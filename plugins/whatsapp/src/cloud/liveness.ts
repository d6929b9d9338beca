import { type AdapterHealth, type Clock, PlatformError, sleep } from "@hermes/core";

/** Milliseconds between two calls to Meta: after a success and after a failure. */
const ASK_EVERY_MS = 15_000;
const ASK_AGAIN_MS = 3_000;

/** How long a sent message may lack a report before webhooks count as not arriving, in milliseconds. */
const REPORTED_WITHIN_MS = 120_000;

/**
 * Determines the health of the connection. A webhook server does not notice that nobody can reach it, so Meta is polled
 * about the number, and sent messages without a delivery report show that webhooks do not arrive.
 */
export class Liveness {
  readonly #clock: Clock;
  readonly #ask: (signal: AbortSignal) => Promise<unknown>;
  readonly #ended = new AbortController();
  #problem: string | null = null;
  #unreportedSince: number | null = null;
  #isForged = false;
  #hasHeard = false;

  constructor(clock: Clock, ask: (signal: AbortSignal) => Promise<unknown>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  get health(): AdapterHealth {
    if (this.#problem !== null) return { state: "down", detail: this.#problem };
    if (this.#isForged) {
      return {
        state: "degraded",
        detail:
          "Not receiving: webhooks come whose signature does not fit `appSecret`. Check it against the app's settings.",
      };
    }
    if (this.#unreportedSince !== null && this.#clock.now() - this.#unreportedSince > REPORTED_WITHIN_MS) {
      return {
        state: "degraded",
        detail:
          "Not receiving: messages are sent, but no webhook comes. Check that the callback URL reaches this machine, and that the app is subscribed to `messages`.",
      };
    }
    return { state: "up" };
  }

  /** Polls Meta until `stop`. */
  async watch(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await sleep(this.#clock, this.#problem === null ? ASK_EVERY_MS : ASK_AGAIN_MS, signal);
      if (signal.aborted) return;
      try {
        await this.#ask(signal);
        this.#problem = null;
      } catch (error) {
        const reason = error instanceof PlatformError ? `${error.message} ${error.hint}` : String(error);
        this.#problem = `Not receiving: ${reason}`;
      }
    }
  }

  stop(): void {
    this.#ended.abort();
  }

  /** Called when Meta has accepted a message, on which it reports by webhook. */
  sent(): void {
    this.#unreportedSince ??= this.#clock.now();
  }

  /** Called for each webhook with a valid signature. */
  heard(): void {
    this.#unreportedSince = null;
    this.#isForged = false;
    this.#hasHeard = true;
  }

  /** Called for a wrong signature: the secret is wrong or, if another webhook was valid before, a stranger sent it. */
  heardForged(): void {
    if (!this.#hasHeard) this.#isForged = true;
  }
}
