import { backOff } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError, PlatformError, type PlatformErrorCode, reasonOf } from "../../base/errors.ts";
import { storedError } from "../../base/without-secrets.ts";
import { type OutboxRow, onlyEdits, type SendOutcome } from "../../model/outbox.ts";
import type { Delivery } from "./delivery.ts";
import { mayBeAskedAgain } from "./find-draft.ts";

/** What decides a call's outcome. */
type Caller = Pick<Delivery, "clock" | "logger" | "adapter" | "redact">;

/** Back-off in milliseconds for an unreachable platform: 1 s, 2 s, 4 s … up to five minutes. */
const RETRY = { firstMs: 1_000, lastMs: 300_000 };

/** Most attempts for a message, about an hour. */
const MAX_SEND_ATTEMPTS = 20;

/** How often a file is looked for, once a second: a platform may look through it first, and show it some seconds later. */
const FILE_LOOKUPS = 8;

/** What is known of a call apart from what it threw. */
interface Attempt {
  /** Whether it may be made again although its answer was lost: an edit says the same however often it is made. */
  readonly isRepeatable?: boolean;
  /** Whether what showed the answer before may show all of it. */
  readonly mayBeWhole?: boolean;
}

/** Decides what happens to a row whose call threw: retried, failed or uncertain. */
export function outcomeOfError(
  { clock, logger, adapter, redact }: Caller,
  thrown: unknown,
  row: OutboxRow,
  {
    isRepeatable = row.draftMessageId !== null || adapter.capabilities.idempotentSend,
    mayBeWhole = false,
  }: Attempt = {},
): SendOutcome {
  const { platform } = adapter;
  const error =
    thrown instanceof PlatformError
      ? thrown
      : new PlatformError("PLATFORM_UNCERTAIN", { platform, reason: reasonOf(thrown) }, { cause: thrown });
  logger.warn({ row: row.id, platform, code: error.code, error: thrown }, "a message was not sent");
  const stored = storedError(error, redact);
  const mayRepeat =
    error.retryable || leavesThread(error, row) || (error.code === "PLATFORM_UNCERTAIN" && isRepeatable);
  // What may have arrived may have, however the attempts after it end.
  const mayBeSent = isUnavailable(adapter, row.error) && !isUnavailable(adapter, error);
  const mayBeThere = mayHaveArrived(row) || mayBeEdited(row, error) || mayBeSent;
  if (mayRepeat && row.attempts + 1 < MAX_SEND_ATTEMPTS) {
    const wait = leavesThread(error, row) ? 0 : (error.retryAfterMs ?? backOff(row.attempts + 1, RETRY));
    const code = mayBeThere ? "PLATFORM_UNCERTAIN" : stored.code;
    return { kind: "again", dueAt: clock.now() + wait, error: { ...stored, code } };
  }
  // What was said below a notice is not offered once more: that it was refused there is told.
  const mayBeOut = mayBeThere || mayBeWhole || isUnavailable(adapter, error);
  const isOffered = mayBeOut && !row.wasOffered && !onlyEdits(row);
  if (error.code !== "PLATFORM_UNCERTAIN" && !isOffered) return { kind: "failed", error: stored };
  return { kind: "uncertain", error: { ...stored, code: "PLATFORM_UNCERTAIN" } };
}

/** An adapter may report an edit whose answer was lost as one that it could not make: until lately nothing came of that. */
function mayBeEdited({ draftMessageId }: OutboxRow, { code }: PlatformError): boolean {
  return draftMessageId !== null && code === "PLATFORM_UNAVAILABLE";
}

/**
 * An adapter whose platform takes a key once only may report a send whose answer was lost as one that it could not make:
 * nothing comes of that until it ends otherwise, or is given up.
 */
function isUnavailable({ capabilities }: Caller["adapter"], error: { readonly code: string } | null): boolean {
  return capabilities.idempotentSend && error?.code === "PLATFORM_UNAVAILABLE";
}

/** Whether a call that threw changed nothing that people see; `isEdit` as for {@link mayBeEdited}. */
export function wasRefused(thrown: unknown, isEdit: boolean): boolean {
  if (!(thrown instanceof PlatformError) || thrown.code === "PLATFORM_UNCERTAIN") return false;
  return !(isEdit && thrown.code === "PLATFORM_UNAVAILABLE");
}

/** Whether an earlier attempt ended without the platform's word, or with its process. */
export function mayHaveArrived({ error }: Pick<OutboxRow, "error">): boolean {
  return error?.code === "PLATFORM_UNCERTAIN";
}

/**
 * The outcome of a call that another process did not record; null when that has to be asked again later. `lookups`: how
 * often it was asked for already. A message that is not there is sent again only if that process is dead: one that was
 * stopped in the middle of its request makes it when it goes on.
 */
export async function outcomeAfterCrash(
  { clock, logger, adapter, redact }: Caller,
  row: OutboxRow,
  lookups: number,
  signal: AbortSignal,
): Promise<SendOutcome | null> {
  const again = sentAgain(clock, "The process that sent it died.");
  // An edit says the same however often it is made.
  if (row.draftMessageId !== null || adapter.capabilities.idempotentSend) return again;
  if (adapter.findSent) {
    try {
      const receipt = await adapter.findSent(row.conversation, row.sendKey ?? row.id, signal);
      if (receipt) return { kind: "sent", receipt };
      if (row.piece?.file !== undefined && lookups < FILE_LOOKUPS) return null;
      return row.mayStillGoOut ? uncertainOutcome({ adapter, redact }, "the process that sends it was stopped") : again;
    } catch (error) {
      logger.warn({ row: row.id, reason: reasonOf(error) }, "a sent message could not be looked up");
      if (mayBeAskedAgain(error, lookups)) return null;
    }
  }
  const fate = row.mayStillGoOut ? "the process that sends it was stopped" : "the process that sent it died";
  return uncertainOutcome({ adapter, redact }, fate);
}

function sentAgain(clock: Clock, text: string): SendOutcome {
  return { kind: "again", dueAt: clock.now(), error: { code: "PLATFORM_UNCERTAIN", text } };
}

/** What was said stays as it stands, where messages cannot be edited. */
export function notEdited({ adapter: { platform }, redact }: Pick<Caller, "adapter" | "redact">): SendOutcome {
  const error = new PlatformError("PLATFORM_REJECTED", { platform, reason: "messages cannot be edited", hint: "" });
  return { kind: "failed", error: storedError(error, redact) };
}

/** Whoever reads there may not see its session any more. */
export function notTheirs(): SendOutcome {
  const { code, message: text } = new HermesError("SESSION_NOT_THEIRS", {});
  return { kind: "dropped", error: { code, text } };
}

/** Others are in the private chat at the moment: it is kept, and said there once they have left. */
export function keptFrom({ code, message: text }: HermesError): SendOutcome {
  return { kind: "withheld", error: { code, text } };
}

/** Nobody knows whether it arrived: it is said again below a notice. */
export function uncertainOutcome(
  { adapter: { platform }, redact }: Pick<Caller, "adapter" | "redact">,
  reason: string,
): SendOutcome {
  return {
    kind: "uncertain",
    error: storedError(new PlatformError("PLATFORM_UNCERTAIN", { platform, reason }), redact),
  };
}

/** The thread of a row is gone, so that it is said elsewhere. What was said among a few is not said to all in the chat. */
export function leavesThread(thrown: unknown, row: OutboxRow): boolean {
  const { threadId, isPrivate = false } = row.conversation;
  // What only edits a message is not said elsewhere.
  if (onlyEdits(row)) return false;
  return isPlatformError(thrown, "PLATFORM_THREAD_GONE") && threadId !== undefined && !isPrivate;
}

/**
 * A message that was to be edited cannot be, for good and whatever the reason: it is archived, too old, deleted, not
 * ours to change. A new message may still be sent. Wrong credentials say nothing of the message.
 */
export function isEditRefused(thrown: unknown, row: OutboxRow): boolean {
  if (row.draftMessageId === null || onlyEdits(row) || !(thrown instanceof PlatformError)) return false;
  if (thrown.retryable || leavesThread(thrown, row)) return false;
  return thrown.code !== "PLATFORM_UNCERTAIN" && thrown.code !== "PLATFORM_UNAUTHORISED";
}

function isPlatformError(thrown: unknown, code: PlatformErrorCode): boolean {
  return thrown instanceof PlatformError && thrown.code === code;
}
