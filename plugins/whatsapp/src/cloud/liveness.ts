import { type AdapterHealth, type Clock, PlatformError, sleep } from "@hermes/core";

/** How often Meta is asked whether all is well, in milliseconds; more often while it is not. */
const ASK_EVERY_MS = 15_000;
const ASK_AGAIN_MS = 3_000;

/** After so long without a report on a message that was sent, webhooks do not arrive; in milliseconds. */
const REPORTED_WITHIN_MS = 120_000;

/**
 * Whether messages come and go. Nothing tells a webhook's server that nobody can reach it, so Meta is asked whether the
 * number is there, and its silence on what was sent is noticed.
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

  /** Goes on asking until `stop`. */
  watch(): void {
    void this.#watch();
  }

  stop(): void {
    this.#ended.abort();
  }

  /** A message was taken by Meta, which reports on it by webhook. */
  sent(): void {
    this.#unreportedSince ??= this.#clock.now();
  }

  /** A webhook came that Meta signed. */
  heard(): void {
    this.#unreportedSince = null;
    this.#isForged = false;
    this.#hasHeard = true;
  }

  /** A webhook came that the app's secret does not fit: the secret is wrong, or once it has fitted, a stranger's. */
  heardForged(): void {
    if (!this.#hasHeard) this.#isForged = true;
  }

  async #watch(): Promise<void> {
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
}
