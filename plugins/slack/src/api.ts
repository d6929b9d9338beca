import { type Clock, type PlatformError, sleep, untilAborted } from "@hermes/core";
import type { webApi } from "@slack/bolt";
import { toPlatformError, unavailable, uncertain } from "./errors.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether to wait for rate limits. Set for all calls but sends, whose queue waits itself. */
  readonly waits?: boolean;
  /** For how long at most, in milliseconds; by default 15 s. */
  readonly longestWaitMs?: number;
}

/** The longest total wait of one call for rate limits, in milliseconds. */
const LONGEST_WAIT_MS = 15_000;

type Result = webApi.WebAPICallResult & Readonly<Record<string, unknown>>;

/** Calls the Web API. Makes each call once, checks each answer, and turns each refusal into a PlatformError. */
export class SlackApi {
  readonly #client: webApi.WebClient;
  readonly #clock: Clock;

  constructor(client: webApi.WebClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Calls a method. Throws a PlatformError: PLATFORM_UNCERTAIN if `signal` aborts first, since the call itself cannot
   * be cancelled.
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
