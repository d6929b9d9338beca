import { type AdapterHealth, backOff, type Clock, type Logger, sleep, untilAborted } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import { PlaceUnknown, toPlatformError } from "./errors.ts";
import type { SyncResponse } from "./wire.ts";

/** How long the server holds an empty answer back, in milliseconds. */
const LONG_POLL_MS = 30_000;

/** The server is asked again after 1 s, 2 s, 4 s … and every half minute, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 30_000 };

/** How long the health tells that something may have been missed, in milliseconds. */
const TOLD_FOR_MS = 24 * 60 * 60_000;

/** A token that was accepted before and is not now, where there is nothing to get another one with. */
const UNAUTHORISED_RETRY_MS = 5 * 60_000;

export interface SyncLoopParts {
  readonly api: MatrixApi;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From where to receive on; null at the first time. */
  readonly since: string | null;
  /** Resolves when everything in the answer is kept; only then is the server asked for more. */
  readonly take: (sync: SyncResponse, since: string | null) => Promise<void>;
  readonly onHealth: (health: AdapterHealth) => void;
  /** Hears why nothing is received for the moment. */
  readonly onFailure: (thrown: unknown) => void;
}

/**
 * Receives by long polling ("Syncing"). The server is told by the next `since` that what came before has arrived, so a
 * crash in between makes it come again, with the same event ids.
 */
export class SyncLoop {
  readonly #parts: SyncLoopParts;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  /** When the server did not know any more from where to go on; null when it always did. */
  #lostPlaceAt: number | null = null;
  #since: string | null;
  #ended: Promise<void> | null = null;
  #failures = 0;

  constructor(parts: SyncLoopParts) {
    this.#parts = parts;
    this.#since = parts.since;
  }

  /** Resolves when the server has answered; rejects when it says no. */
  async start(): Promise<void> {
    this.#ended ??= this.#run();
    await this.#first.promise;
  }

  /** Resolves when nothing is asked any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { take, onHealth } = this.#parts;
    const { signal } = this.#stopping;
    // The first one returns at once, and so does the first after a failure: the health is to know soon.
    let timeout = 0;
    while (!signal.aborted) {
      try {
        const { sync, since } = await this.#receive(timeout);
        timeout = LONG_POLL_MS;
        this.#failures = 0;
        onHealth(this.#health);
        this.#first.resolve();
        await untilAborted(take(sync, since), signal);
        this.#since = sync.next_batch;
      } catch (error) {
        timeout = 0;
        if (!signal.aborted) await this.#recover(error);
      }
    }
    this.#first.resolve();
  }

  /**
   * From where it was; where the server can do nothing with that, by a first sync, which answers nothing of what is
   * there. Only when that succeeds the place is given up: a server that is out of order may know it again.
   */
  async #receive(timeout: number): Promise<{ readonly sync: SyncResponse; readonly since: string | null }> {
    const { api, clock, logger } = this.#parts;
    const { signal } = this.#stopping;
    const since = this.#since;
    try {
      return { sync: await api.sync(since, timeout, signal), since };
    } catch (error) {
      if (!(error instanceof PlaceUnknown)) throw error;
      const sync = await api.sync(null, 0, signal);
      this.#lostPlaceAt = clock.now();
      logger.warn(
        { reason: error.reason },
        "the homeserver does not know any more up to where it was received; what was written in between is not answered",
      );
      return { sync, since: null };
    }
  }

  get #health(): AdapterHealth {
    const at = this.#lostPlaceAt;
    if (at === null || this.#parts.clock.now() - at > TOLD_FOR_MS) return { state: "up" };
    const time = new Date(at).toISOString();
    return {
      state: "up",
      detail: `At ${time} the homeserver did not know any more up to where it was received: what was written before that and not answered has to be written again.`,
    };
  }

  async #recover(thrown: unknown): Promise<void> {
    const { clock, logger, onHealth, onFailure } = this.#parts;
    const error = toPlatformError(thrown);
    this.#failures++;
    onHealth({ state: "down", detail: `Not receiving: ${error.message} ${error.hint}` });
    this.#first.reject(error);
    onFailure(thrown);
    const retryInMs =
      error.code === "PLATFORM_UNAUTHORISED"
        ? UNAUTHORISED_RETRY_MS
        : Math.max(error.retryAfterMs ?? 0, backOff(this.#failures, RETRY));
    logger.warn(
      { code: error.code, reason: error.message, cause: String(thrown), retryInMs },
      "nothing is received; the homeserver is asked again",
    );
    await sleep(clock, retryInMs, this.#stopping.signal);
  }
}
