import { type HttpAnswer, HttpClient, usualRefusal } from "../adapter/http-client.ts";
import { platformErrors } from "../adapter/platform-errors.ts";
import { PlatformError } from "../base/errors.ts";
import type { Examination, ExaminedAccount, Finding } from "./plugin-setup.ts";

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
export type ApiAnswer = HttpAnswer;

/**
 * Makes one call of a platform's HTTP API by `fetch`, for a set-up that loads no library. Throws PLATFORM_UNAVAILABLE where
 * nothing that can be read came back, and for a fault of the server (5xx); its reason holds neither the address nor a
 * header, since either may hold a token. See {@link HttpClient}.
 *
 * @example
 * ```ts
 * const { status, body } = await askApi("acme", `${url}/me`, { headers: { authorization: `Bearer ${token}` }, signal });
 * ```
 */
export async function askApi(platform: string, url: string, request: RequestInit): Promise<ApiAnswer> {
  const { method, body, headers, signal } = request;
  const client = new HttpClient({ platform, url });
  const answer = await client.ask({
    ...{ path: "", method, body, headers: Object.fromEntries(new Headers(headers)) },
    signal: signal ?? undefined,
  });
  const { status } = answer;
  const errors = platformErrors(platform);
  if (status >= 500 || (status >= 300 && status < 400)) throw usualRefusal(errors, answer);
  if (answer.body === undefined || answer.body === null) {
    throw errors.unavailable(`what answered (${status}) is not its API`);
  }
  return answer;
}
