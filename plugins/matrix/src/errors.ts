import { PlatformError, platformErrors, reasonOf } from "@hermes/core";
import { ConnectionError, HTTPError, MatrixError } from "matrix-js-sdk";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);
export const { forbidden, notFound, threadGone, unauthorised, unavailable } = errors;

/** How long to wait where a server limits the rate and does not say for how long, in milliseconds. */
const DEFAULT_WAIT_MS = 5_000;

/**
 * What the library threw, as Hermes' own error. Nothing of the original goes along: it quotes the address of the
 * request. Whether a call whose answer was lost was done does not matter: each goes by a transaction id, so it may be
 * made again.
 */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof MatrixError) return fromRefusal(error);
  if (error instanceof HTTPError) return fromStatus(error.httpStatus);
  if (error instanceof PlaceUnknown) return rejected(error.reason);
  if ([KeysNotKept, KeysLost, Superseded, SessionEnded].some((kind) => error instanceof kind)) {
    return unavailable(reasonOf(error));
  }
  return unavailable(connectionProblem(error));
}

/** The server does not know (any more) what the place in its events means from which the bot wants to receive on. */
export class PlaceUnknown extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the server refuses the place in its events: ${reason}`);
    this.name = "PlaceUnknown";
    this.reason = reason;
  }
}

/** The server takes the token no more, and another session is being opened. */
export class SessionEnded extends Error {
  constructor() {
    super("its session has ended, and another one is being opened");
    this.name = "SessionEnded";
  }
}

/** The server has lost the keys that the bot's device is known by, or was set up anew. */
export class KeysLost extends Error {
  constructor() {
    super("the server has lost the bot's keys");
    this.name = "KeysLost";
  }
}

/** What the encryption library has changed is not in the file. */
export class KeysNotKept extends Error {
  constructor(cause: unknown) {
    super(`the bot's keys could not be written: ${reasonOf(cause)}`, { cause });
    this.name = "KeysNotKept";
  }
}

/** Another process has opened the file since: what is in this one's memory is old, and its keys must not be used again. */
export class Superseded extends Error {
  constructor() {
    super("another gateway has taken over the bot's keys");
    this.name = "Superseded";
  }
}

/** Whether a token that was taken before is not any more: it has expired, or its session was ended. */
export function isTokenUnknown(error: unknown): boolean {
  return error instanceof MatrixError && error.errcode === "M_UNKNOWN_TOKEN";
}

/** Whether starting anew helps: with the keys as they were last written, or with others. */
export function isCuredByRestart(error: unknown): boolean {
  return error instanceof KeysLost || (error instanceof KeysNotKept && !isTakenOver(error));
}

/** Whether another process has used the keys since, so that starting anew helps once the account is this one's. */
export function isTakenOver(error: unknown): boolean {
  return error instanceof Superseded || (error instanceof KeysNotKept && error.cause instanceof Superseded);
}

/** Whether the server says that something is not there: an address that it does not know says nothing about that. */
export function isNotFound(error: unknown): boolean {
  return error instanceof MatrixError && error.errcode === "M_NOT_FOUND";
}

/** Whether a body is larger than the server takes, or than what stands before it does. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof HTTPError && error.httpStatus === 413;
}

export function fileTooLarge(): PlatformError {
  return errors.rejected("the homeserver takes no file of this size", "Send a smaller one, or a link to it.");
}

function fromStatus(status: number | undefined): PlatformError {
  if (status === undefined) return unavailable("its server answered with nonsense");
  if (status < 300 || status >= 400) return unavailable(`its server answered ${status}`);
  return unavailable(`its server redirects elsewhere (${status}), which is not followed; correct \`homeserverUrl\``);
}

function fromRefusal(error: MatrixError): PlatformError {
  const { errcode = "", httpStatus: status = 400 } = error;
  const reason = (error.error ?? "no reason was given").replace(/\.$/, "");
  if (error.isRateLimitError()) return errors.rateLimited(waitOf(error));
  if (
    status === 401 ||
    errcode === "M_UNKNOWN_TOKEN" ||
    errcode === "M_MISSING_TOKEN" ||
    errcode === "M_USER_DEACTIVATED"
  ) {
    return unauthorised();
  }
  if (status >= 500) return unavailable(`its server answered ${status}`);
  if (/relation to unknown event|threads from an event/i.test(reason)) return threadGone();
  if (status === 403) return forbidden(reason, "Look at the bot's membership and power level in that room.");
  if (status === 404) return notFound(reason, "Check the id, and that the bot is in the room.");
  if (errcode === "M_TOO_LARGE") return rejected("the message is too large");
  return rejected(reason);
}

/** A server's wish for patience, in milliseconds ("Rate limiting"). */
function waitOf(error: MatrixError): number {
  const { retry_after_ms: wait } = error.data;
  if (typeof wait === "number" && wait >= 0) return wait;
  try {
    return error.getRetryAfterMs() ?? DEFAULT_WAIT_MS;
  } catch {
    return DEFAULT_WAIT_MS;
  }
}

function rejected(reason: string): PlatformError {
  const hint = "The Matrix specification says what it means, under the server's error code.";
  return errors.rejected(reason, hint);
}

/** Whether another attempt may succeed: later, or once there is a token again. */
export function isWorthRetrying(error: PlatformError): boolean {
  return error.retryable || error.code === "PLATFORM_UNAUTHORISED";
}

/** A word for what went wrong, without the address. */
function connectionProblem(error: unknown): string {
  if (error instanceof ConnectionError) return "the connection failed";
  if (!(error instanceof Error)) return "no reason was given";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "it took too long";
  return error.name === "SyntaxError" ? "its server answered with nonsense" : `the plugin failed (${error.name})`;
}

/** Throws the error of an edit: what failed on the way may have been done. A send need not say so, since it is made again. */
export function failMaybeDone(error: unknown): never {
  const known = toPlatformError(error);
  throw known.code === "PLATFORM_UNAVAILABLE" ? errors.uncertain(String(known.fields.reason)) : known;
}

/** Throws what the library threw; a refusal to write in a room with what most often is the cause. */
export function failAboutRoom(error: unknown): never {
  const known = toPlatformError(error);
  if (known.code !== "PLATFORM_FORBIDDEN") throw known;
  throw forbidden(
    String(known.fields.reason),
    "Either the bot is not in the room, or its power level is too low to write there: a moderator invites it or raises the level.",
  );
}
