import { askApi, type PlatformError, platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";
import { CLIENT_API, type Content } from "./wire.ts";

const errors = platformErrors(PLATFORM);

/** What a homeserver answered: the content, or its code for why not. */
export interface HomeserverAnswer {
  readonly status: number;
  readonly content: Content;
  /** Such as `M_FORBIDDEN`; null for an answer. */
  readonly errcode: string | null;
}

/** Calls of the client-server API by `fetch`, for who only looks. Throws PlatformErrors, in which no token stands. */
export class HomeserverReader {
  readonly #baseUrl: string;
  readonly #signal: AbortSignal;
  readonly #token: string | null;

  constructor(baseUrl: string, signal: AbortSignal, token: string | null = null) {
    this.#baseUrl = baseUrl;
    this.#signal = signal;
    this.#token = token;
  }

  /** The same homeserver as a session sees it. */
  as(token: string, signal = this.#signal): HomeserverReader {
    return new HomeserverReader(this.#baseUrl, signal, token);
  }

  /** Throws for a rate limit; every other refusal is an answer. */
  async ask(path: string, body?: Content, method = body === undefined ? "GET" : "POST"): Promise<HomeserverAnswer> {
    const { status, body: answered } = await askApi(PLATFORM, `${this.#baseUrl}${path}`, {
      method,
      signal: this.#signal,
      headers: {
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const content = Object(answered) as Content;
    if (status === 429) throw errors.rateLimited(Number(content.retry_after_ms ?? 5_000));
    return { status, content, errcode: status < 400 ? null : String(content.errcode ?? `HTTP ${status}`) };
  }

  /** The content; null where it is not there, or not for this user to see. */
  async find(path: string): Promise<Content | null> {
    const { status, content, errcode } = await this.ask(`${CLIENT_API}${path}`);
    if (status === 403 || status === 404) return null;
    if (errcode !== null) throw refusalOf(errcode, content);
    return content;
  }

  state(roomId: string, type: string): Promise<Content | null> {
    return this.find(`/rooms/${encodeURIComponent(roomId)}/state/${type}/`);
  }

  async post(path: string, body: Content): Promise<Content> {
    const { content, errcode } = await this.ask(`${CLIENT_API}${path}`, body);
    if (errcode !== null) throw refusalOf(errcode, content);
    return content;
  }
}

function refusalOf(errcode: string, { error }: Content): PlatformError {
  if (errcode === "M_UNKNOWN_TOKEN" || errcode === "M_MISSING_TOKEN") return errors.unauthorised();
  const hint = "The Matrix specification says what it means, under the server's error code.";
  return errors.rejected(`${String(error ?? "no reason was given")} (${errcode})`, hint);
}
