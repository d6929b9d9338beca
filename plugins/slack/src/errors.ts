import { PlatformError, platformErrors, reasonOf, wasNeverSent } from "@hermes/core";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);
export const { forbidden, notFound, rejected, threadGone, unavailable, uncertain } = errors;

/** What a call was about, for its error's sentence. */
export interface FailedCall {
  /** The Web API's name of the method. */
  readonly method: string;
  /** The channel that it concerned. */
  readonly channel?: string | undefined;
}

/** An error of Slack's client. Its `code` tells it, not its class: another copy of the library may have made it. */
interface ClientError {
  readonly code?: unknown;
  readonly retryAfter?: unknown;
  readonly statusCode?: unknown;
  readonly data?: { readonly error?: unknown; readonly needed?: unknown; readonly response_metadata?: unknown };
  readonly original?: unknown;
}

/** The back-off for a rate limit without `Retry-After`, in milliseconds. */
const WAIT_UNTOLD_MS = 1_000;

const UNAUTHORISED = new Set([
  "account_inactive",
  "invalid_auth",
  "not_allowed_token_type",
  "not_authed",
  "team_disabled",
  "token_expired",
  "token_revoked",
  "user_removed_from_team",
]);

/** Slack's own faults; the same call may succeed later. */
const UNAVAILABLE = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org",
]);

const UNREACHABLE_CHANNEL = new Set(["channel_not_found", "is_archived", "not_in_channel"]);

/** The message cannot be edited (any more). */
const MESSAGE_GONE = new Set(["cant_update_message", "edit_window_closed", "message_not_found"]);

/** The blocks were refused; the same words as plain text may be accepted. */
const MARKUP_REFUSED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"]);

/** Turns an error of Slack's client into a PlatformError. It holds no token, since Slack's answers have none. */
export function toPlatformError(thrown: unknown, call: FailedCall): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  const { code, retryAfter, statusCode, data } = Object(thrown) as ClientError;
  const cause = { cause: thrown };
  switch (code) {
    case "slack_webapi_rate_limited_error":
      return errors.rateLimited(
        Number.isFinite(Number(retryAfter)) ? Number(retryAfter) * 1_000 : WAIT_UNTOLD_MS,
        cause,
      );
    case "slack_webapi_platform_error":
      return ofAnswer(String(data?.error), data, call, thrown);
    case "slack_webapi_http_error":
      return unavailable(`${call.method} was answered with HTTP ${String(statusCode)}`, cause);
    case "slack_webapi_request_error":
      return unavailable(`${call.method}: ${networkReason(thrown)}`, cause);
    default:
      return unavailable(`${call.method}: ${reasonOf(thrown)}`, cause);
  }
}

/** Whether the call may have succeeded, with only its answer lost. */
export function isDoubtful(error: PlatformError): boolean {
  const { code, original } = Object(error.cause) as ClientError;
  // "Some aspect of the operation may have succeeded", as Slack's documentation has it.
  if (code === "slack_webapi_http_error" || UNAVAILABLE.has(answerOf(error) ?? "")) return true;
  return code === "slack_webapi_request_error" && !wasNeverSent(networkCode(original));
}

/** Whether Slack refused the formatting rather than the words. */
export function isMarkupRefused(error: PlatformError): boolean {
  return MARKUP_REFUSED.has(answerOf(error) ?? "");
}

/** Slack's own code for a refusal, or null. */
function answerOf(error: PlatformError): string | null {
  const { code, data } = Object(error.cause) as ClientError;
  return code === "slack_webapi_platform_error" ? String(data?.error) : null;
}

/** The error of a channel that the bot cannot use. Names all causes, since Slack's code may hide which it is. */
export function unreachableChannel(code: string, channel: string, options?: ErrorOptions): PlatformError {
  const fail = code === "channel_not_found" ? errors.notFound : errors.forbidden;
  return fail(
    `the bot cannot use the channel ${channel} (${code}): it is not a member, the channel is archived, or the id is wrong or of another workspace; private channels that the bot is not in look like wrong ids`,
    "Invite the bot with `/invite @hermes` in the channel, unarchive it, or write `!sethome` where sessions are to go.",
    options,
  );
}

function ofAnswer(answer: string, data: ClientError["data"], call: FailedCall, thrown: unknown): PlatformError {
  const cause = { cause: thrown };
  const { method, channel = "" } = call;
  if (UNAUTHORISED.has(answer)) return errors.unauthorised(cause);
  if (UNAVAILABLE.has(answer)) return unavailable(`${method} was answered with ${answer}`, cause);
  if (answer === "ratelimited" || answer === "rate_limited" || answer === "message_limit_exceeded") {
    return errors.rateLimited(WAIT_UNTOLD_MS, cause);
  }
  if (UNREACHABLE_CHANNEL.has(answer)) return unreachableChannel(answer, channel, cause);
  if (answer === "thread_not_found") return threadGone(cause);
  if (answer === "file_upload_size_restricted") return fileTooLarge(cause);
  if (answer === "file_type_not_allowed") {
    return errors.rejected(
      "the workspace takes no files of that type",
      "Send it in another form, or elsewhere.",
      cause,
    );
  }
  if (/^file_uploads_(?:except_images_)?disabled$/.test(answer)) {
    const reason = `the workspace takes no files${answer.includes("images") ? " but pictures" : ""}`;
    return errors.forbidden(reason, "An admin of the workspace can allow them under “Permissions”.", cause);
  }
  if (answer === "missing_scope") return missingScope(String(data?.needed ?? "?"), method, cause);
  if (MESSAGE_GONE.has(answer)) {
    const reason = `the message cannot be changed (${answer})`;
    return errors.notFound(reason, "It is sent as a new message.", cause);
  }
  if (/^restricted_action|^no_permission$|^access_denied$|^posting_to_.*_denied$/.test(answer)) {
    const reason = `the workspace does not let the bot do that in ${channel || "this channel"} (${answer})`;
    const hint = "Ask an admin of the workspace for the right to post there.";
    return errors.forbidden(reason, hint, cause);
  }
  const reason = [`${method} was answered with ${answer}`, ...messagesOf(data)].join("; ");
  const hint = `Slack's documentation of the method ${method} says what it means.`;
  return errors.rejected(reason, hint, cause);
}

/** Slack itself takes files of up to 1 GB. */
export function fileTooLarge(options?: ErrorOptions): PlatformError {
  const hint = "Send a smaller one, or ask an admin of the workspace about its limit.";
  return errors.rejected("the file is larger than the workspace takes", hint, options);
}

function missingScope(needed: string, method: string, options: ErrorOptions): PlatformError {
  const reason = `the app lacks the scope ${needed}, which ${method} needs`;
  const hint = "Add it under “OAuth & Permissions”, and reinstall the app to the workspace.";
  return errors.forbidden(reason, hint, options);
}

/** Slack's messages about refused arguments: "[ERROR] must be less than 3001 characters …" */
function messagesOf(data: ClientError["data"]): string[] {
  const { messages } = Object(data?.response_metadata) as { messages?: unknown };
  return Array.isArray(messages) ? messages.map(String) : [];
}

/** Returns the reason of a failed request: the cause, where the error itself only says `fetch failed`. */
function networkReason(thrown: unknown): string {
  const original: unknown = Object(thrown).original;
  const cause: unknown = Object(original).cause;
  return reasonOf(cause instanceof Error ? cause : original);
}

function networkCode(original: unknown): string {
  return String(Object(Object(original).cause).code ?? Object(original).code ?? "");
}
