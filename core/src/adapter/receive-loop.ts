import { type BackOff, backOff } from "../base/back-off.ts";
import { type Clock, sleep } from "../base/clock.ts";
import type { PlatformError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { AdapterHealth } from "./capabilities.ts";

/** A failed round is followed by another one after 1 s, 2 s, 4 s … and every half minute, in milliseconds. */
const RETRY: BackOff = { firstMs: 1_000, lastMs: 30_000 };

/** How long a platform that refuses the credentials is left alone, in milliseconds: asking again may lock the account. */
const REFUSED_RETRY_MS = 5 * 60_000;

/** One poll, or one connection from its beginning to its end. */
export interface ReceiveRound {
  /** Aborts when nothing is to be received any more. */
  readonly signal: AbortSignal;
  /** The first round, or the first after a failure: a poll that returns at once makes the health known soon. */
  readonly isFirst: boolean;
  /** How many rounds in a row failed before this one, as long as it has not `received`. */
  readonly failures: number;
  /** Says that the platform is there: it is up, and the start has succeeded. */
  connected(health?: AdapterHealth): void;
  /** Says that it is up and delivers: failures are counted anew. Said for a round that ends well and has not said it. */
  received(health?: AdapterHealth): void;
}

/**
 * Asking the platform for more takes about as long as beginning a turn: that of what was just received comes first. Its
 * beginning is written in the next turn of the event loop, in which the agent is asked, too.
 */
async function untilTurnsBegin(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate);
}

/** What becomes of a round that failed. */
export interface ReceiveFailure {
  readonly error: PlatformError;
  /** What the health says; null leaves it as it is. */
  readonly health: AdapterHealth | null;
  /** When the next round begins, in milliseconds from now. */
  readonly waitMs: number;
  /** Whether the start succeeds all the same: sending works, say. */
  readonly mayStart?: boolean;
}

export interface ReceiveLoopParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A round. It resolves when the next one is to begin at once, and throws when nothing is received. */
  readonly receive: (round: ReceiveRound) => Promise<void>;
  readonly toPlatformError: (thrown: unknown) => PlatformError;
  readonly onHealth: (health: AdapterHealth) => void;
  /** How pauses after failures grow: from 1 s to 30 s where it is left out. */
  readonly retry?: BackOff | undefined;
  /** Changes what becomes of a failure, where `usual` does not fit; or asks for a restart because of it. */
  readonly judge?: ((thrown: unknown, usual: ReceiveFailure) => ReceiveFailure | Promise<ReceiveFailure>) | undefined;
}

/**
 * Receives round after round, by polling, by a stream or by a socket, until it is stopped. A round that fails shows in
 * the health, with its reason, and is followed by another one after a pause that grows; a platform that refuses the
 * credentials is left alone for five minutes.
 *
 * @example
 * ```ts
 * const loop = new ReceiveLoop({ clock, logger, toPlatformError, onHealth, receive: async ({ signal, received }) => {
 *   const messages = await bot.poll(taken, signal);
 *   received();
 *   for (const message of messages) await take(message);
 * } });
 * await loop.start();
 * ```
 */
export class ReceiveLoop {
  readonly #parts: ReceiveLoopParts;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #ended: Promise<void> | null = null;
  #failures = 0;

  constructor(parts: ReceiveLoopParts) {
    this.#parts = parts;
  }

  /** Resolves when the platform is there; rejects with a PlatformError when the first round fails. */
  async start(): Promise<void> {
    this.#ended ??= this.#run();
    await this.#first.promise;
  }

  /** Resolves when the round that is under way has ended; no other one begins. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let isFirst = true;
    while (!signal.aborted) {
      try {
        await this.#round(isFirst);
        isFirst = false;
        await untilTurnsBegin();
      } catch (error) {
        isFirst = true;
        if (!signal.aborted) await this.#recover(error);
      }
    }
    this.#first.resolve();
  }

  async #round(isFirst: boolean): Promise<void> {
    let isReceived = false;
    const connected = (health: AdapterHealth = { state: "up" }) => {
      this.#parts.onHealth(health);
      this.#first.resolve();
    };
    const received = (health?: AdapterHealth) => {
      isReceived = true;
      this.#failures = 0;
      connected(health);
    };
    const { signal } = this.#stopping;
    await this.#parts.receive({ signal, isFirst, failures: this.#failures, connected, received });
    if (!isReceived && !signal.aborted) received();
  }

  async #recover(thrown: unknown): Promise<void> {
    const { clock, logger, onHealth, toPlatformError, retry = RETRY, judge } = this.#parts;
    const error = toPlatformError(thrown);
    const pauseMs = backOff(++this.#failures, retry);
    const usual: ReceiveFailure = {
      error,
      health: { state: "down", detail: `Not receiving: ${error.message} ${error.hint}` },
      waitMs: error.code === "PLATFORM_UNAUTHORISED" ? REFUSED_RETRY_MS : Math.max(error.retryAfterMs ?? 0, pauseMs),
    };
    const { health, waitMs, mayStart } = (await judge?.(thrown, usual)) ?? usual;
    if (health) onHealth(health);
    if (mayStart) this.#first.resolve();
    else this.#first.reject(error);
    const fields = { code: error.code, reason: error.message, retryInMs: waitMs };
    logger.warn(fields, "nothing is received; the platform is asked again");
    await sleep(clock, waitMs, this.#stopping.signal);
  }
}
