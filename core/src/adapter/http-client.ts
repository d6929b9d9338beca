import { timeLimit } from "../base/deadline.ts";
import type { PlatformError } from "../base/errors.ts";
import { parseRetryAfter } from "../base/retry-after.ts";
import { exchange, exchangeByFetch, isPlain } from "./api-fetch.ts";
import { type PlatformErrors, platformErrors } from "./platform-errors.ts";

/** One call of a platform's HTTP API. */
export interface HttpCall {
  /** GET where it is left out. */
  readonly method?: string | undefined;
  /** Behind the base address, with its query: `messages?to=7`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is: a form, a file. */
  readonly body?: RequestInit["body"];
  /** Beside those of every call. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer may take, in milliseconds; by default half a minute. */
  readonly withinMs?: number | undefined;
  /**
   * True for a call that must not be made twice, such as a send: where its answer is lost, the error is
   * PLATFORM_UNCERTAIN.
   */
  readonly mayBeDone?: boolean | undefined;
}

/** What the platform answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body; null if it is empty, undefined if it is something else. */
  readonly body: unknown;
}

/** How a platform's API is called, and what its refusals mean. */
export interface HttpClientOptions {
  /** The platform's name, as in the manifest. */
  readonly platform: string;
  /** The address before each path. */
  readonly url: string;
  /** Sent with each call: put the token here, and never into an address. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The error of an answer of 400 and above, by what its body says; null for the usual one of its status. `mayBeDone`:
   * as the call has it.
   */
  readonly refusal?: ((answer: HttpAnswer, mayBeDone: boolean) => PlatformError | null) | undefined;
  /**
   * Statuses of 500 and above by which nothing was done; 503 alone unless set. By any other a send may be done: what stands
   * before the platform's server answers them, too, whatever came of the call behind it.
   */
  readonly notDone?: readonly number[] | undefined;
}

/** How long an answer may take, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Calls a platform's HTTP API, for adapters without a client library. Every failure is a PlatformError that
 * says whether the gateway may call again: no connection, a lost answer, a limit with its time, a refusal. Follows no
 * redirect, which would take the token along, and puts no address and no header into an error.
 *
 * @example
 * ```ts
 * const api = new HttpClient({ platform: "pager", url, headers: { authorization: `Bearer ${token}` } });
 * const me = await api.call({ path: "me", signal });
 * const { id } = (await api.call({ method: "POST", path: "messages", json: { text }, mayBeDone: true })) as Sent;
 * ```
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #errors: PlatformErrors;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#errors = platformErrors(options.platform);
  }

  /** Returns the JSON of a call that succeeded. Throws a PlatformError. */
  async call(call: HttpCall): Promise<unknown> {
    const answer = await this.ask(call);
    const { status, body } = answer;
    if (status >= 200 && status < 300 && body !== undefined) return body;
    const { refusal, notDone } = this.#options;
    const { mayBeDone = false } = call;
    const own = status >= 400 ? refusal?.(answer, mayBeDone) : null;
    throw own ?? usualRefusal(this.#errors, answer, { mayBeDone, notDone });
  }

  /** Returns what was answered, whatever the status. Throws a PlatformError where nothing was. */
  async ask({ path, mayBeDone, ...call }: HttpCall): Promise<HttpAnswer> {
    const { url, headers } = this.#options;
    const address = path === "" ? url : `${url.replace(/\/$/, "")}/${path.replace(/^\//, "")}`;
    try {
      return await answerTo(address, { ...call, headers: { ...headers, ...call.headers } });
    } catch (error) {
      // The reason of an abort may be anything.
      const thrown = call.signal?.aborted ? new DOMException("aborted", "AbortError") : error;
      throw this.#errors.lost(thrown, { mayBeDone });
    }
  }
}

async function answerTo(address: string, call: Omit<HttpCall, "path" | "mayBeDone">): Promise<HttpAnswer> {
  const { method = "GET", json, headers = {}, signal, withinMs = PATIENCE_MS } = call;
  const body = json === undefined ? call.body : JSON.stringify(json);
  using limit = timeLimit(withinMs, signal);
  const init = {
    method,
    headers: json === undefined ? headers : { "content-type": "application/json", ...headers },
    signal: limit.signal,
  };
  const answer = isPlain(body)
    ? await exchange(new URL(address), init, body)
    : await exchangeByFetch(address, { ...init, body });
  return { status: answer.status, headers: answer.headers, body: jsonOf(answer.content) };
}

/** The JSON of a body; null if it is empty, undefined if it is something else. */
export function jsonOf(bytes: Uint8Array | null): unknown {
  if (bytes?.length === 0) return null;
  try {
    const { buffer, byteOffset, byteLength } = bytes ?? new Uint8Array();
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The error of an answer, by its status alone. */
export function usualRefusal(
  errors: PlatformErrors,
  { status, headers }: HttpAnswer,
  { mayBeDone = false, notDone }: Pick<HttpCall, "mayBeDone"> & Pick<HttpClientOptions, "notDone"> = {},
): PlatformError {
  const answered = `its server answered ${status}`;
  if (status === 401) return errors.unauthorised();
  if (status === 403) return errors.forbidden(answered, "Look at the bot's rights there.");
  if (status === 404 || status === 410) return errors.notFound(answered, "Check the id, and that the bot is there.");
  if (status === 429) return errors.rateLimited(retryAfterMs(headers));
  // The server has not read the whole call.
  if (status === 408) return errors.unavailable(answered);
  if (status >= 500) return errors.serverFailed(status, { mayBeDone, notDone });
  if (status >= 300 && status < 400) {
    const reason = `it redirects elsewhere (${status}), which is not followed`;
    return mayBeDone ? errors.uncertain(reason) : errors.unavailable(reason);
  }
  if (status < 300) {
    const reason = `what answered (${status}) is not its API`;
    return mayBeDone ? errors.uncertain(reason) : errors.unavailable(reason);
  }
  return errors.rejected(answered, "What it means is in the platform's documentation.");
}

/**
 * Milliseconds that a platform asks to wait by its `Retry-After`, in seconds or as a date; null if it does not say. `now`:
 * milliseconds since 1970.
 */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | null {
  return parseRetryAfter(headers.get("retry-after"), now);
}
