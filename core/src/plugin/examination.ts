import { readResponseBody } from "../adapter/attachments.ts";
import { type PlatformErrors, platformErrors } from "../adapter/platform-errors.ts";
import { PlatformError, reasonOf } from "../base/errors.ts";
import type { Examination, ExaminedAccount, Finding } from "./plugin-setup.ts";

/** The longest answer that is read, in bytes; far above any that a set-up check gets. */
const LARGEST_ANSWER = 8 * 1024 * 1024;

const NO_NETWORK = "Check the network of this machine, and HTTPS_PROXY where it is behind a proxy.";

/**
 * Gathers what `examine` of a plugin's set-up finds.
 *
 * @example
 * ```ts
 * async examine({ token }, { signal }) {
 *   const found = new Findings();
 *   await found.during(async () => {
 *     const { id, name } = await whoAmI(token, signal);
 *     found.account = { id, name };
 *     found.ok(`Acme accepts the token: the bot is ${name}.`);
 *   });
 *   return found.toExamination();
 * }
 * ```
 */
export class Findings {
  account: ExaminedAccount | null = null;
  readonly #found: Finding[] = [];

  /** `message`: a sentence, as in the others. */
  ok(message: string): void {
    this.#found.push({ state: "ok", message });
  }

  /** It works, and less well than it could. `hint`: what to do, as a sentence. */
  warning(message: string, hint: string): void {
    this.#found.push({ state: "warning", message, hint });
  }

  /** It does not work. */
  problem(message: string, hint: string): void {
    this.#found.push({ state: "problem", message, hint });
  }

  /** Runs a part of the checks. A PlatformError that ends it becomes a problem; all else is thrown. */
  async during(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.problem(error.message, hintOf(error));
    }
  }

  /** Problems first, then warnings; what is in order at the end. */
  toExamination(): Examination {
    const of = (state: Finding["state"]) => this.#found.filter((finding) => finding.state === state);
    return { account: this.account, findings: [...of("problem"), ...of("warning"), ...of("ok")] };
  }
}

/** A check does not retry, as a gateway does. */
function hintOf({ code, hint }: PlatformError): string {
  if (code === "PLATFORM_UNAVAILABLE") return NO_NETWORK;
  return code === "PLATFORM_RATE_LIMITED" ? "Wait that long, then check again." : hint;
}

/** What an HTTP API answered, whatever the status. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body. */
  readonly body: unknown;
}

/**
 * Makes one call of a platform's HTTP API by `fetch`, for a set-up that loads no library. Throws PLATFORM_UNAVAILABLE where
 * nothing that can be read came back, and for a fault of the server (5xx); its reason holds neither the address nor a
 * header, since either may hold a token.
 *
 * @example
 * ```ts
 * const { status, body } = await askApi("acme", `${url}/me`, { headers: { authorization: `Bearer ${token}` }, signal });
 * ```
 */
export async function askApi(platform: string, url: string, request: RequestInit): Promise<ApiAnswer> {
  const errors = platformErrors(platform);
  // Followed, a redirect would take what a body holds, such as a password, to whichever host it names.
  const response = await fetch(url, { ...request, redirect: "manual" }).catch((error: unknown) => {
    throw broken(errors, error, request.signal);
  });
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => {});
    throw errors.unavailable(`it redirects elsewhere (${status}), which is not followed`);
  }
  const bytes = await readResponseBody(response, LARGEST_ANSWER).catch((error: unknown) => {
    throw broken(errors, error, request.signal);
  });
  if (status >= 500) throw errors.unavailable(`its server answered ${status}`);
  try {
    return { status, headers, body: JSON.parse(Buffer.from(bytes ?? []).toString("utf8")) };
  } catch {
    throw errors.unavailable(`what answered (${status}) is not its API`);
  }
}

function broken(errors: PlatformErrors, error: unknown, signal: AbortSignal | null | undefined): PlatformError {
  if (signal?.aborted) return errors.unavailable("it took too long to answer");
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause) as { readonly code?: unknown };
  // Hermes' own words, which name the proxy and nothing else.
  if (code === "EPROXY") return errors.unavailable(reasonOf(cause));
  // The messages of Node's fetch may quote the address.
  const reason = typeof code === "string" ? code : Object(error).name;
  return errors.unavailable(`the connection failed (${reason ?? "no reason was given"})`);
}
