import { type HttpAnswer, HttpClient, type PlatformError, retryAfterMs } from "@hermes/core";
import { lost, rejected } from "../errors.ts";
import { PLATFORM } from "../source.ts";
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

/** Calls the Graph API. Sends the token in a header, so that no URL holds it. */
export class GraphClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #api: HttpClient;

  constructor({ graphUrl: url, accessToken }: { readonly graphUrl: string; readonly accessToken: string }) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${accessToken}` };
    this.#api = new HttpClient({ platform: PLATFORM, url, headers: this.#headers, refusal });
  }

  /** Throws a PlatformError. */
  async call<T>({ body, ...call }: GraphCall): Promise<T> {
    const sent = body instanceof FormData ? { body } : { json: body };
    return (await this.#api.call({ ...call, ...sent })) as T;
  }

  /** Fetches a file from the address that Meta gave for it. Sends the token to nobody but Meta. */
  async download(url: string, signal: AbortSignal): Promise<Response> {
    if (!this.#isMetas(new URL(url))) throw rejected("a file lies outside of Meta's servers", "Send the file again.");
    return fetch(url, { headers: this.#headers, redirect: "manual", signal }).catch((error: unknown) => {
      throw lost(error);
    });
  }

  #isMetas(url: URL): boolean {
    if (url.origin === new URL(this.#url).origin) return true;
    return url.protocol === "https:" && /(?:^|\.)(?:fbsbx|facebook|fbcdn|whatsapp)\.(?:com|net)$/.test(url.hostname);
  }
}

function refusal({ status, headers, body }: HttpAnswer, mayBeDone: boolean): PlatformError {
  const error: WireError = Object(Object(body).error);
  return toPlatformError({ status, error, retryAfterMs: retryAfterMs(headers) ?? waitInUsage(headers), mayBeDone });
}

/** The wait after a rate limit in minutes, in the account's usage report ("Rate limits"). */
function waitInUsage(headers: Headers): number | null {
  const waits = Object.values(usageIn(headers.get("x-business-use-case-usage")))
    .flat()
    .map((use) => Number(Object(use).estimated_time_to_regain_access));
  const minutes = Math.max(0, ...waits.filter(Number.isFinite));
  return minutes > 0 ? minutes * 60_000 : null;
}

function usageIn(header: string | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(header ?? ""));
  } catch {
    return {};
  }
}
