import { type AdapterHealth, type Clock, PlatformError, sleep } from "@hermes/core";

/** Milliseconds between two questions to Meta, while all is well and while it is not. */
const ASK_EVERY_MS = 15_000;
const ASK_AGAIN_MS = 3_000;

/** Milliseconds without a report on a sent message after which webhooks count as not arriving. */
const REPORTED_WITHIN_MS = 120_000;

/**
 * Whether messages come and go. A webhook server does not notice that nobody can reach it, so Meta is asked about the
 * number, and sent messages without a delivery report show that webhooks do not arrive.
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

  /** Asks again and again until `stop`. */
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

  /** A webhook came with a wrong signature: the secret is wrong or, if it has fitted before, a stranger sent it. */
  heardForged(): void {
    if (!this.#hasHeard) this.#isForged = true;
  }
}
