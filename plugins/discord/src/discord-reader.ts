import { askApi, type PlatformError, platformErrors } from "@hermes/core";
import type { DiscordOptions } from "./config.ts";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);

/** Discord wants to know what asks (API reference, "User Agent"). */
const USER_AGENT = "DiscordBot (@hermes/plugin-discord, 1)";

/** Reads from Discord's API by `fetch`, and changes nothing there. Throws PlatformErrors without the token. */
export class DiscordReader {
  readonly #options: Pick<DiscordOptions, "apiUrl" | "token">;
  readonly #signal: AbortSignal;

  constructor(options: Pick<DiscordOptions, "apiUrl" | "token">, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.#ask(path);
    if (status >= 400) throw refusalOf(status, body);
    return body as T;
  }

  /** Null for what is not there, or not for the bot to see. */
  async find<T>(path: string): Promise<T | null> {
    const { status, body } = await this.#ask(path);
    if (status === 403 || status === 404) return null;
    if (status >= 400) throw refusalOf(status, body);
    return body as T;
  }

  #ask(path: string) {
    const { apiUrl, token } = this.#options;
    return askApi(PLATFORM, `${apiUrl.replace(/\/+$/, "")}/api/v10${path}`, {
      headers: { authorization: `Bot ${token}`, "user-agent": USER_AGENT },
      signal: this.#signal,
    });
  }
}

function refusalOf(status: number, body: unknown): PlatformError {
  const { message, code, retry_after: retryAfter } = Object(body) as Readonly<Record<string, unknown>>;
  if (status === 401) return errors.unauthorised();
  if (status === 429) return errors.rateLimited(Math.ceil(Number(retryAfter ?? 1) * 1_000));
  return errors.rejected(`${message} (code ${code})`, "Look the code up among Discord's “JSON Error Codes”.");
}
