import { fileError, HermesError, PlatformError, type PlatformErrorCode, reasonOf } from "../base/errors.ts";
import { ANSWER_TOO_LONG } from "./api-fetch.ts";

/** The errors of one platform, each a {@link PlatformError} that is ready to be thrown. */
export interface PlatformErrors {
  /** The platform does not take the token. Not retried by itself. */
  unauthorised(options?: ErrorOptions): PlatformError;
  /** The platform does not let the bot do that. `hint`: what a person can do, as a sentence. */
  forbidden(reason: string, hint: string, options?: ErrorOptions): PlatformError;
  /** The chat or message is not there. `hint`: what a person can do, as a sentence. */
  notFound(reason: string, hint: string, options?: ErrorOptions): PlatformError;
  /** The thread is gone: the next message of its session opens a new one. */
  threadGone(options?: ErrorOptions): PlatformError;
  /** The platform refuses what was sent, and would again. `hint`: what a person can do, as a sentence. */
  rejected(reason: string, hint: string, options?: ErrorOptions): PlatformError;
  /**
   * The platform asks to wait `retryAfterMs` milliseconds. Null where it does not say for how long: Hermes takes its
   * own time then.
   */
  rateLimited(retryAfterMs: number | null, options?: ErrorOptions): PlatformError;
  /** Nothing was done, and the same call may succeed later. */
  unavailable(reason: string, options?: ErrorOptions): PlatformError;
  /** Whether it was done is not known: the answer was lost. */
  uncertain(reason: string, options?: ErrorOptions): PlatformError;
  /**
   * A call that the platform's server, or what stands before it, answered with `status`, 500 or above: `uncertain` where it
   * may have been done (`mayBeDone`), else `unavailable`. Nothing was done by 503 alone, unless `notDone` names others.
   */
  serverFailed(
    status: number,
    options?: ErrorOptions & {
      /** By default `its server answered 502`. */
      readonly reason?: string | undefined;
      readonly mayBeDone?: boolean | undefined;
      readonly notDone?: readonly number[] | undefined;
    },
  ): PlatformError;
  /**
   * A call that got no answer, from what Node or its fetch threw: `uncertain` where it may have been done (`mayBeDone`) and
   * a connection was made, else `unavailable`. Names the failure in a word or two, and never the address. `to`: whom the
   * connection was to, if not the platform.
   */
  lost(
    thrown: unknown,
    options?: { readonly mayBeDone?: boolean | undefined; readonly to?: string | undefined },
  ): PlatformError;
  /**
   * Runs what an adapter does by itself in `send` or `edit` before it calls the platform: asks who somebody is, writes down
   * what it is about to send. Where that fails nothing was sent: it throws `unavailable`, or a PlatformError as it is.
   */
  beforehand<T>(work: () => T | Promise<T>): Promise<T>;
}

/** A server that cannot handle a request says so before it begins (RFC 9110, 15.6.4). */
const NOT_DONE = [503];

/**
 * The errors of a platform, by what happened. A `reason` is a clause in lower case without a full stop, such as `the bot
 * is not in the channel`: it stands inside a sentence. Neither it nor the cause may hold a token.
 *
 * @example
 * ```ts
 * const { forbidden, rateLimited, unavailable } = platformErrors("pager");
 *
 * export function toPlatformError(thrown: unknown): PlatformError {
 *   if (thrown instanceof PlatformError) return thrown;
 *   if (!(thrown instanceof PagerRefusal)) return unavailable("the connection failed", { cause: thrown });
 *   if (thrown.status === 429) return rateLimited(thrown.retryAfterMs);
 *   return forbidden(thrown.text, "Add the bot to the group again.");
 * }
 * ```
 */
export function platformErrors(platform: string): PlatformErrors {
  const unavailable: PlatformErrors["unavailable"] = (reason, options) =>
    new PlatformError("PLATFORM_UNAVAILABLE", { platform, reason }, options);
  const uncertain: PlatformErrors["uncertain"] = (reason, options) =>
    new PlatformError("PLATFORM_UNCERTAIN", { platform, reason }, options);
  return {
    unauthorised: (options) => new PlatformError("PLATFORM_UNAUTHORISED", { platform }, options),
    forbidden: (reason, hint, options) => new PlatformError("PLATFORM_FORBIDDEN", { platform, reason, hint }, options),
    notFound: (reason, hint, options) => new PlatformError("PLATFORM_NOT_FOUND", { platform, reason, hint }, options),
    threadGone: (options) => new PlatformError("PLATFORM_THREAD_GONE", { platform }, options),
    rejected: (reason, hint, options) => new PlatformError("PLATFORM_REJECTED", { platform, reason, hint }, options),
    rateLimited: (retryAfterMs, options) => {
      const seconds = Math.ceil((retryAfterMs ?? 1_000) / 1_000);
      const wait = retryAfterMs === null ? {} : { retryAfterMs };
      return new PlatformError("PLATFORM_RATE_LIMITED", { platform, seconds }, { ...options, ...wait });
    },
    unavailable,
    uncertain,
    serverFailed: (
      status,
      { reason = `its server answered ${status}`, mayBeDone, notDone = NOT_DONE, ...options } = {},
    ) => (mayBeDone && !notDone.includes(status) ? uncertain : unavailable)(reason, options),
    lost: (thrown, { mayBeDone = false, to } = {}) => {
      const { code, reason } = networkFailure(thrown);
      if (code === "EPROXY") return unavailable(reason);
      return mayBeDone && !wasNeverSent(code)
        ? uncertain(`the answer was lost (${reason})`)
        : unavailable(`the connection ${to === undefined ? "" : `to ${to} `}failed (${reason})`);
    },
    beforehand: async (work) => {
      try {
        return await work();
      } catch (thrown) {
        if (thrown instanceof PlatformError) throw thrown;
        const reason = reasonOf(thrown).replace(/\.$/, "");
        throw unavailable(`what Hermes keeps for it cannot be read or written (${reason})`, { cause: thrown });
      }
    },
  };
}

/**
 * What Node says of a connection that failed. Its fetch puts the socket's error beneath its own, whose message may
 * quote the address.
 */
function networkFailure(thrown: unknown): { readonly code: string; readonly reason: string } {
  for (const error of [thrown, Object(thrown).cause]) {
    const { code } = Object(error) as { readonly code?: unknown };
    // Hermes' own words, which name the proxy and nothing else, or how long an answer may be.
    if (code === "EPROXY" || code === ANSWER_TOO_LONG) return { code, reason: reasonOf(error) };
    // An aborted call has the number 20 there.
    if (typeof code === "string" && code !== "") return { code, reason: code };
  }
  const { name } = Object(thrown) as { readonly name?: unknown };
  if (name === "AbortError" || name === "TimeoutError") return { code: "", reason: "it took too long" };
  return { code: "", reason: typeof name === "string" && name !== "TypeError" ? name : "it was cut" };
}

/** Codes of a connection that was never made, as Node's sockets and its fetch name them. */
const NEVER_CONNECTED = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPROXY",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Whether a network error of Node's with this `code` says that no connection was made: nothing was asked of the platform
 * then, so a call that must not be made twice may be made again.
 */
export function wasNeverSent(code: string): boolean {
  return NEVER_CONNECTED.has(code);
}

const FINAL: readonly PlatformErrorCode[] = [
  "PLATFORM_NOT_FOUND",
  "PLATFORM_FORBIDDEN",
  "PLATFORM_THREAD_GONE",
  "PLATFORM_REJECTED",
];

/** Whether a platform said no to reading something. All else, no answer among it, says nothing: reading can be repeated. */
export function isFinal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && FINAL.includes(error.code);
}

/**
 * Whether a message may be read later although it could not be now: the platform gave no final answer, Hermes' store was
 * busy, a disk was full. Any other error lies in the message itself.
 */
export function mayBeReadLater(error: unknown): boolean {
  return !isFinal(error) && (error instanceof HermesError || fileError(error) !== null);
}
