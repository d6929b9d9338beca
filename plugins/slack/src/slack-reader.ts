import { askApi, PlatformError, platformErrors } from "@hermes/core";
import type { SlackOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);

/** A method's answer beside `ok`, and the scopes of the token; null if Slack told none. */
export interface SlackAnswer {
  readonly result: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[] | null;
}

/** Calls methods of the Web API that only read, by `fetch`. Throws PlatformErrors, which hold no token. */
export class SlackReader {
  readonly #apiUrl: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  /** `token`: the bot's, or the app's. */
  constructor({ apiUrl }: Pick<SlackOptions, "apiUrl">, token: string, signal: AbortSignal) {
    this.#apiUrl = apiUrl.replace(/\/*$/, "/");
    this.#token = token;
    this.#signal = signal;
  }

  async call(method: string, args: Readonly<Record<string, string>> = {}): Promise<SlackAnswer> {
    const { body, status, headers } = await askApi(PLATFORM, `${this.#apiUrl}${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}` },
      // A form, since methods that read accept no JSON.
      body: new URLSearchParams(args),
      signal: this.#signal,
    });
    if (status === 429) throw errors.rateLimited(Number(headers.get("retry-after") ?? 1) * 1_000);
    const result = Object(body) as Readonly<Record<string, unknown>>;
    if (result.ok === true) return { result, scopes: headers.get("x-oauth-scopes")?.split(/,\s*/) ?? null };
    if (result.ok !== false) throw errors.unavailable("what answered is not the Web API");
    throw toPlatformError({ code: "slack_webapi_platform_error", data: result }, { method, channel: args.channel });
  }

  /** Calls a method; null if it does not accept the token. */
  async accepted(method: string): Promise<SlackAnswer | null> {
    return this.call(method).catch((error: unknown) => {
      if (error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") return null;
      throw error;
    });
  }
}
