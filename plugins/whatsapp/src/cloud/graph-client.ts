import { type PlatformError, timeLimit, wasNeverSent } from "@hermes/core";
import { unavailable, uncertain } from "../errors.ts";
import { toPlatformError } from "./errors.ts";
import type { WireError } from "./wire.ts";

export interface GraphCall {
  readonly method?: "GET" | "POST";
  /** The path after the version: `<phone number id>/messages`. */
  readonly path: string;
  /** JSON, or a form with a file. */
  readonly body?: object | FormData;
  readonly signal?: AbortSignal | undefined;
  /** The timeout in milliseconds; by default half a minute. */
  readonly withinMs?: number;
  /** Whether the call may have succeeded if its answer is lost. */
  readonly mayBeDone?: boolean;
}

/** The timeout for one call, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Calls the Graph API. Sends the token in a header, so that no URL holds it. */
export class GraphClient {
  readonly #url: string;
  readonly #token: string;

  constructor({ graphUrl, accessToken }: { readonly graphUrl: string; readonly accessToken: string }) {
    this.#url = graphUrl;
    this.#token = accessToken;
  }

  /** Throws a PlatformError. */
  async call<T>({
    method = "GET",
    path,
    body,
    signal,
    mayBeDone = false,
    withinMs = PATIENCE_MS,
  }: GraphCall): Promise<T> {
    const isForm = body instanceof FormData;
    using patience = timeLimit(withinMs);
    const request: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && !isForm ? { "content-type": "application/json" } : {}),
      },
      signal: signal ? AbortSignal.any([signal, patience.signal]) : patience.signal,
      redirect: "error",
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    };
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.#url}/${path}`, request);
      text = await response.text();
    } catch (error) {
      throw lost(error, mayBeDone);
    }
    const value = parse(text);
    if (response.ok && value !== null) return value as T;
    const error: WireError = Object(Object(value).error);
    throw toPlatformError({ status: response.status, error, retryAfterMs: waitIn(response.headers) });
  }

  /** Fetches a file from the address that Meta gave for it. Sends the token to nobody but Meta. */
  async download(url: string, signal: AbortSignal): Promise<Response> {
    if (!this.#isMetas(new URL(url))) throw unavailable("the file lies outside of Meta's servers");
    const headers = { authorization: `Bearer ${this.#token}` };
    return fetch(url, { headers, redirect: "error", signal }).catch((error: unknown) => {
      throw lost(error, false);
    });
  }

  #isMetas(url: URL): boolean {
    if (url.origin === new URL(this.#url).origin) return true;
    return url.protocol === "https:" && /(?:^|\.)(?:fbsbx|facebook|fbcdn|whatsapp)\.(?:com|net)$/.test(url.hostname);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads the wait after a rate limit: a header in seconds, or minutes in the account's usage report ("Rate limits"). */
function waitIn(headers: Headers): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  if (Number.isFinite(seconds)) return seconds * 1_000;
  const usage = parse(headers.get("x-business-use-case-usage") ?? "");
  const waits = Object.values(Object(usage) as Record<string, unknown>)
    .flat()
    .map((use) => Number(Object(use).estimated_time_to_regain_access));
  const minutes = Math.max(0, ...waits.filter(Number.isFinite));
  return minutes > 0 ? minutes * 60_000 : null;
}

/** The error of a failed connection, with the reason in a word and without the address. */
function lost(error: unknown, mayBeDone: boolean): PlatformError {
  const { code } = Object(Object(error).cause) as { readonly code?: unknown };
  const name = typeof code === "string" ? code : String(Object(error).name ?? "no reason was given");
  const reason = name === "TimeoutError" || name === "AbortError" ? "it took too long" : name;
  return mayBeDone && !wasNeverSent(reason)
    ? uncertain(`the answer was lost (${reason})`)
    : unavailable(`the connection failed (${reason})`);
}
