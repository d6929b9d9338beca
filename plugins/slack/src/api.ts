import { type Clock, type PlatformError, sleep, untilAborted } from "@hermes/core";
import type { webApi } from "@slack/bolt";
import { toPlatformError, unavailable, uncertain } from "./errors.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** A rate limit is waited for here, for a while, since nobody else would: all but sends, whose queue does that. */
  readonly waits?: boolean;
  /** For how long, in milliseconds; 15 s where it is left out. */
  readonly longestWaitMs?: number;
}

/** How long one call waits for rate limits in all, in milliseconds. */
const LONGEST_WAIT_MS = 15_000;

type Result = webApi.WebAPICallResult & Readonly<Record<string, unknown>>;

/** The Web API: each call made once, each answer looked at, each refusal a PlatformError. */
export class SlackApi {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;

  constructor(client: webApi.WebClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Calls a method. Throws a PlatformError: PLATFORM_UNCERTAIN when `signal` aborts first, since the call itself cannot
   * be called back.
   */
  async call(
    method: string,
    args: Readonly<Record<string, unknown>>,
    { signal, waits = false, longestWaitMs = LONGEST_WAIT_MS }: CallOptions = {},
  ): Promise<Result> {
    const until = this.#clock.now() + (waits ? longestWaitMs : 0);
    for (;;) {
      if (signal?.aborted) throw unavailable(`${method} was called off`);
      try {
        return (await untilAborted(this.#client.apiCall(method, { ...args }), signal, tooLate)) as Result;
      } catch (thrown) {
        const error = toPlatformError(thrown, { method, channel: channelOf(args) });
        const waitMs = error.retryAfterMs;
        if (waitMs === null || this.#clock.now() + waitMs > until) throw error;
        await sleep(this.#clock, waitMs, signal);
      }
    }
  }
}

function channelOf({ channel, channel_id: id }: Readonly<Record<string, unknown>>): string | undefined {
  const value = channel ?? id;
  return typeof value === "string" ? value : undefined;
}

function tooLate(): PlatformError {
  return uncertain("it did not answer in time");
}
