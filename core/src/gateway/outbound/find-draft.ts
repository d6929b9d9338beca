import type { Piece, SendReceipt } from "../../adapter/message.ts";
import { digestOf } from "../../base/digest.ts";
import { PlatformError } from "../../base/errors.ts";
import type { OutboxRow } from "../../model/outbox.ts";
import type { Turn } from "../../model/turn.ts";
import type { Store } from "../../store/store.ts";
import type { Delivery } from "./delivery.ts";

/** Timeout in milliseconds for looking up the message of a streamed answer. */
const LOOK_UP_MS = 30_000;

/** The most lookups at a platform that gives no definite answer. */
const MOST_LOOKUPS = 5;

/** The key under which the first part of a growing answer is sent that is begun in a lease of the turn. */
export function draftKey({ id, fence }: Pick<Turn, "id" | "fence">): string {
  return `draft:${id}:${fence}`;
}

/**
 * Finds the message of a streamed answer whose id was lost by a crash or a lost reply: without it, the half-written
 * message would stay beside the whole answer. Returns the row to send: as the last edit of that message or, if there is
 * none or it cannot be known, as a new message. The decision is final. `shown`: see {@link wholeShown}. Throws a
 * PlatformError if the platform cannot be asked now.
 */
export async function settleDraft(
  { store, adapter, clock, logger }: Pick<Delivery, "store" | "adapter" | "clock" | "logger">,
  row: OutboxRow,
  piece: Piece,
  shown: WholeShown,
): Promise<SettledDraft> {
  const { draftKey: sendKey, message } = row;
  const asItIs = { row, mayBeWhole: false };
  const mayBeWhole = shown === "maybe";
  // No message grows into a file: it is sent, and not as often as an edit may be made.
  if (piece.file !== undefined)
    return row.draftMessageId === null ? asItIs : { row: await store.outbox.leaveDraft(row.id), mayBeWhole: false };
  if (row.draftMessageId !== null) return { row, mayBeWhole };
  if (!adapter.edit) return { row, mayBeWhole };
  if (sendKey === null || message.kind !== "answer") return asItIs;
  const draft = await store.outbox.draft(sendKey);
  if (draft === null || draft.messageId !== null || draft.key !== row.key) return asItIs;
  const found = await findDraft({ adapter, clock, logger }, row, sendKey, piece);
  if (found === "not sent") return { row: await store.outbox.leaveDraft(row.id), mayBeWhole: false };
  if (found === "unknown") return leaveUnknown(store, row, mayBeWhole);
  // Asked for by sending it whole, it may show it whole.
  const mark = adapter.findSent === undefined ? shownMark(message.markdown, false) : undefined;
  const taken = await store.outbox.takeDraft(row.id, found.messageId, mark);
  return { row: taken, mayBeWhole: mayBeWhole || mark !== undefined };
}

/**
 * The row is a message of its own, since nobody can tell in which one it grew. One that may be shown whole keeps its draft,
 * by which another process knows that, until it is recorded that nobody knows whether it arrived.
 */
export async function leaveUnknown(
  { outbox }: Pick<Store, "outbox">,
  row: OutboxRow,
  mayBeWhole: boolean,
): Promise<SettledDraft> {
  return { row: mayBeWhole ? row : await outbox.leaveDraft(row.id), mayBeWhole };
}

export interface SettledDraft {
  readonly row: OutboxRow;
  /**
   * Nobody can tell whether the whole answer is shown already: the platform's word on what showed it was lost, or it was
   * asked for by sending it whole under its first key.
   */
  readonly mayBeWhole: boolean;
}

/** What {@link Draft.shown} is for a whole text. `isTaken`: the platform said so. */
export function shownMark(text: string, isTaken: boolean): string {
  const digest = digestOf(text.trim());
  return isTaken ? digest : `?${digest}`;
}

export type WholeShown = "yes" | "maybe" | "no";

/** Whether the message that an answer grew in says all of it: then its last edit would change nothing. */
export async function wholeShown({ outbox }: Pick<Store, "outbox">, row: OutboxRow): Promise<WholeShown> {
  const { shown = null } = (row.draftKey !== null && (await outbox.draft(row.draftKey))) || {};
  const { markdown } = row.message;
  if (shown === null) return "no";
  if (shown === shownMark(markdown, true)) return "yes";
  return shown === shownMark(markdown, false) ? "maybe" : "no";
}

async function findDraft(
  { adapter, clock, logger }: Pick<Delivery, "adapter" | "clock" | "logger">,
  row: OutboxRow,
  sendKey: string,
  piece: Piece,
): Promise<Pick<SendReceipt, "messageId"> | "not sent" | "unknown"> {
  const { conversation } = row;
  const late = new AbortController();
  using _timer = clock.setTimer(LOOK_UP_MS, () => late.abort());
  const about = { sessionId: row.sessionId ?? undefined, turnId: row.turnId ?? undefined };
  const options = { key: sendKey, ...about, signal: late.signal };
  try {
    if (adapter.findSent) return (await adapter.findSent(conversation, options.key, options.signal)) ?? "not sent";
    if (!adapter.capabilities.idempotentSend) return "unknown";
    // The platform takes it for the same message, and says which one that is.
    return await adapter.send(conversation, piece, options);
  } catch (error) {
    if (mayBeAskedAgain(error, row.attempts)) throw error;
    logger.debug({ row: row.id, error }, "what was shown of an answer cannot be found");
    return "unknown";
  }
}

/**
 * Whether a platform that could not say what became of a message may say it later: when it can be reached again, or,
 * where it left its answer open, within a few times.
 */
export function mayBeAskedAgain(error: unknown, times: number): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.retryable || (error.code === "PLATFORM_UNCERTAIN" && times < MOST_LOOKUPS);
}
