import type { Piece } from "../../adapter/message.ts";
import { digestOf } from "../../base/digest.ts";
import { PlatformError } from "../../base/errors.ts";
import type { OutboxRow } from "../../model/outbox.ts";
import type { Turn } from "../../model/turn.ts";
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
 * none or it cannot be known, as a new message. The decision is final. Throws a PlatformError if the platform cannot be
 * asked now.
 */
export async function settleDraft(
  { store, adapter, clock, logger }: Pick<Delivery, "store" | "adapter" | "clock" | "logger">,
  row: OutboxRow,
  piece: Piece,
): Promise<SettledDraft> {
  const { draftKey: sendKey, message } = row;
  const asItIs = { row, mayBeWhole: false };
  // No message grows into a file: it is sent, and not as often as an edit may be made.
  if (piece.file !== undefined)
    return row.draftMessageId === null ? asItIs : { row: await store.outbox.leaveDraft(row.id), mayBeWhole: false };
  if (!adapter.edit || sendKey === null || row.draftMessageId !== null || message.kind !== "answer") return asItIs;
  const draft = await store.outbox.draft(sendKey);
  if (draft === null || draft.messageId !== null || draft.key !== row.key) return asItIs;
  const messageId = await findDraft({ adapter, clock, logger }, row, sendKey, piece);
  if (messageId === null) return { row: await store.outbox.leaveDraft(row.id), mayBeWhole: false };
  return { row: await store.outbox.takeDraft(row.id, messageId), mayBeWhole: adapter.findSent === undefined };
}

export interface SettledDraft {
  readonly row: OutboxRow;
  /** It was asked for by sending it whole under its first key: nobody can tell whether that, or its beginning, is shown. */
  readonly mayBeWhole: boolean;
}

/** Whether the message that an answer grew in says all of it: then its last edit would change nothing. */
export async function isShownWhole({ store }: Pick<Delivery, "store">, row: OutboxRow): Promise<boolean> {
  if (row.draftMessageId === null || row.draftKey === null) return false;
  const { shown = null } = (await store.outbox.draft(row.draftKey)) ?? {};
  return shown !== null && shown === digestOf(row.message.markdown.trim());
}

async function findDraft(
  { adapter, clock, logger }: Pick<Delivery, "adapter" | "clock" | "logger">,
  row: OutboxRow,
  sendKey: string,
  piece: Piece,
): Promise<string | null> {
  const { conversation } = row;
  const late = new AbortController();
  using _timer = clock.setTimer(LOOK_UP_MS, () => late.abort());
  const about = { sessionId: row.sessionId ?? undefined, turnId: row.turnId ?? undefined };
  const options = { key: sendKey, ...about, signal: late.signal };
  try {
    if (adapter.findSent) return (await adapter.findSent(conversation, options.key, options.signal))?.messageId ?? null;
    if (!adapter.capabilities.idempotentSend) return null;
    // The platform takes it for the same message, and says which one that is.
    return (await adapter.send(conversation, piece, options)).messageId;
  } catch (error) {
    if (mayBeAskedAgain(error, row.attempts)) throw error;
    logger.debug({ row: row.id, error }, "what was shown of an answer cannot be found");
    return null;
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
