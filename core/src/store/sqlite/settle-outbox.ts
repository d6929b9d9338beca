import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { SendReceipt } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { StoredError } from "../../base/errors.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { OutboxFacts, OutboxId, OutboxState, SendAttempt, SendOutcome } from "../../model/outbox.ts";
import { refusalMarker } from "../../model/transcript.ts";
import type { Context } from "./connection.ts";
import { steadyIn } from "./expiry.ts";
import { addWarning, handoffRow, noteDelivered } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { isOffer, settleOffer, takeOfferBack } from "./offer-rows.ts";
import {
  type BareOutboxRow,
  bareOutboxRow,
  bareOutboxRows,
  isByHandOnly,
  OF_DELETED_SESSION,
  type StoredOutboxRow,
  senderIdOf,
  sendKeyOf,
  toFacts,
} from "./outbox-rows.ts";
import { closeIfOver } from "./questions.ts";
import { readable } from "./text.ts";

/**
 * How often the notice of an offer is sent before one answer where it may not have arrived: what it offers comes before the
 * next answer, and never without it. So people may read the notice, and nothing else, three times.
 */
const MOST_NOTICES = 3;

/** Records the outcome of a send. Does not change a settled row. For use inside a transaction. */
export function settleSend(context: Context, id: OutboxId, outcome: SendOutcome, attempt?: SendAttempt): OutboxFacts {
  const row = bareOutboxRow(context, id);
  if (!isOpenFor(row, outcome) || isOutdated(row, outcome, attempt)) return toFacts(context, row);
  if (outcome.kind === "sent") {
    record(context, id, "sent", null, outcome.receipt);
    settleOffer(context, id, true);
  } else if (isHeldBack(row) && !isTakenBack(context, row)) {
    settleHeldBack(context, row, outcome);
  } else if (outcome.kind === "dropped" && (isByHandOnly(row) || isOfDeletedSession(context, row))) {
    // It is said nowhere else, or was kept.
    keepUnsent(context, row, outcome.error);
    context.db.run("UPDATE outbox SET by_hand_only = 1 WHERE id = ?", id);
  } else if (outcome.kind === "dropped" || isTakenBack(context, row) || (onlyEdits(row) && outcome.kind !== "again")) {
    record(context, id, "cancelled", outcome.error);
  } else if (outcome.kind === "again") {
    record(context, id, "queued", outcome.error);
    const { db, clock } = context;
    const { dueAt } = outcome;
    db.run(
      "UPDATE outbox SET due_at = ?, due_steady = ? WHERE id = ?",
      dueAt,
      steadyIn(clock, dueAt - clock.now()),
      id,
    );
  } else if (outcome.kind === "uncertain" && row.attempts < MOST_NOTICES && isOffer(context, id)) {
    record(context, id, "queued", outcome.error);
  } else {
    // The next offer makes a new notice in place of one that did not get through.
    if (settleOffer(context, id, false)) record(context, id, "cancelled", outcome.error);
    else if (outcome.kind === "withheld") keepUnsent(context, row, outcome.error);
    else if (outcome.kind === "uncertain") record(context, id, "uncertain", outcome.error);
    else refuse(context, row, outcome.error);
    // It is offered again when it may be said there, unless it is held back.
    if (outcome.kind === "withheld") context.db.run("UPDATE outbox SET offered_at = NULL WHERE id = ?", id);
  }
  const settled = bareOutboxRow(context, id);
  if (row.handoff_id !== null) {
    const isNewlyUncertain = settled.state === "uncertain" && row.state !== "uncertain";
    if (isNewlyUncertain && outcome.kind !== "sent") warn(context, row.handoff_id, outcome.error);
    noteDelivered(context, row.handoff_id);
  }
  closeIfOver(context, row.approval_id);
  return toFacts(context, settled);
}

function refuse(context: Context, row: BareOutboxRow, error: StoredError): void {
  noteRefusal(context, row, error);
  record(context, row.id, "failed", error);
}

/** Keeps a row that is not sent: as refused or, where it may have arrived before, as uncertain still, with the reason. */
function keepUnsent(context: Context, row: BareOutboxRow, why: StoredError): void {
  if (row.error_code !== "PLATFORM_UNCERTAIN") refuse(context, row, why);
  else record(context, row.id, "uncertain", { code: "PLATFORM_UNCERTAIN", text: why.text });
}

/** Whether the row's place was parted from its session during the call: it is not sent again by itself. */
function isHeldBack(row: BareOutboxRow): boolean {
  return row.state === "uncertain" && isByHandOnly(row);
}

/**
 * What was refused, or not sent after all, has failed; anything else stays uncertain, and its text says why it is held
 * back.
 */
function settleHeldBack(
  context: Context,
  row: BareOutboxRow,
  { kind, error }: Exclude<SendOutcome, { kind: "sent" }>,
): void {
  const why = kind === "failed" ? error : { code: row.error_code ?? error.code, text: row.error_text ?? error.text };
  if (kind === "uncertain" || error.code === "PLATFORM_UNCERTAIN" || why.code === "PLATFORM_UNCERTAIN") {
    record(context, row.id, "uncertain", { code: "PLATFORM_UNCERTAIN", text: why.text });
    return;
  }
  refuse(context, row, why);
}

/** See Outbox. For use inside a transaction. */
export function giveBack(context: Context, id: OutboxId, holder: Holder): void {
  const row = bareOutboxRow(context, id);
  if ((row.state !== "sending" && row.state !== "uncertain") || row.sender === null) return;
  if (senderIdOf(row) !== holder.id) return;
  if (isHeldBack(row) && row.error_code !== null && !isTakenBack(context, row)) {
    const notSent = { code: row.error_code, text: row.error_text ?? "" };
    settleHeldBack(context, row, { kind: "failed", error: notSent });
    return;
  }
  const state = isTakenBack(context, row) ? "cancelled" : "queued";
  context.db.run("UPDATE outbox SET state = ? WHERE id = ?", state, id);
}

/**
 * Whether an outcome may change a row. Two processes may have called, where one was stopped in its call: a receipt counts
 * although the other call failed, and a call that failed says nothing of a row that was offered meanwhile, and waits. A row
 * that has a receipt and failed was refused by the platform later.
 */
function isOpenFor({ state, receipt, sender }: BareOutboxRow, { kind }: SendOutcome): boolean {
  if (state === "failed") return kind === "sent" && sender !== null && receipt === null;
  if (state === "queued" && sender !== null) return kind === "sent" || kind === "dropped" || kind === "withheld";
  return state === "queued" || state === "sending" || state === "uncertain";
}

/** Whether an outcome is that of a call after which another one was made: by a process that was stopped in it, mostly. */
function isOutdated(row: BareOutboxRow, { kind }: SendOutcome, attempt?: SendAttempt): boolean {
  if (attempt === undefined || kind === "sent" || (row.state !== "sending" && row.state !== "uncertain")) return false;
  return row.attempts !== attempt.attempts || senderIdOf(row) !== attempt.sender;
}

/** Whether the row only edits a message, as that of a question that is over: it is not said as a message of its own. */
function onlyEdits(row: Pick<StoredOutboxRow, "approval_part" | "draft_message_id" | "edits">): boolean {
  return row.edits !== null || (row.approval_part === "closes" && row.draft_message_id !== null);
}

/** Whether it says what is all that is left of its session, which was deleted. */
function isOfDeletedSession({ db }: Context, row: BareOutboxRow): boolean {
  if (onlyEdits(row)) return false;
  return db.get(`SELECT 1 FROM outbox WHERE id = ? AND ${OF_DELETED_SESSION}`, row.id) !== undefined;
}

/** A message on which a platform reports, by the id that it has there, and the key with which it was sent. */
interface Reported {
  readonly platform: string;
  readonly account: string;
  readonly messageId: string;
  readonly chat: Conversation | undefined;
  readonly key: string | undefined;
}

/** Records a platform's late delivery status. For use inside a transaction. */
export function settleLate(context: Context, reported: Reported, refusal: StoredError | null): OutboxFacts | null {
  const { platform, account, messageId, chat } = reported;
  // A draft and later edits of it may share one message id; the last of these rows is what people see.
  const row = bareOutboxRows(
    context,
    `WHERE receipt_message_id = +? AND platform = +? AND account = +? AND state IN ('sent', 'failed')
     ORDER BY created_at DESC, position DESC, part DESC`,
    messageId,
    platform,
    account,
  ).find(({ conversation }) => chat === undefined || isIn(chat, JSON.parse(conversation) as Conversation));
  if (!row) {
    const settled = settleUnknown(context, reported, refusal);
    if (settled === null && refusal) leaveRefusedDraft(context, reported);
    return settled;
  }
  if (refusal) {
    // The next offer makes a new notice in place of one that was refused.
    const isSaidAgain = !onlyEdits(row) && !takeOfferBack(context, row.id);
    if (isSaidAgain && refusal.code === "PLATFORM_UNCERTAIN" && !isTakenBack(context, row)) {
      // Its receipt is that of a call that failed: what comes later is found by the key.
      record(context, row.id, "uncertain", refusal);
      return toFacts(context, bareOutboxRow(context, row.id));
    }
    if (isSaidAgain) noteRefusal(context, row, refusal);
    context.db.run(
      "UPDATE outbox SET state = ?, confirmed = 0, error_code = ?, error_text = ? WHERE id = ?",
      isSaidAgain && !isTakenBack(context, row) ? "failed" : "cancelled",
      refusal.code,
      readable(refusal.text),
      row.id,
    );
  } else if (row.state === "sent" && row.confirmed === 0) {
    context.db.run("UPDATE outbox SET confirmed = 1 WHERE id = ?", row.id);
  } else {
    return toFacts(context, row);
  }
  return toFacts(context, bareOutboxRow(context, row.id));
}

/**
 * Settles a message of which nobody knew whether it arrived, by the key of its send. One that is being sent is left to its
 * sender where it was refused: that call may be another one than the report is of.
 */
function settleUnknown(
  context: Context,
  { platform, account, messageId, key = "" }: Reported,
  refusal: StoredError | null,
): OutboxFacts | null {
  const id = key.replace(/\.\d+$/, "");
  const [row] = bareOutboxRows(
    context,
    "WHERE id = ? AND platform = ? AND account = ? AND receipt_message_id IS NULL",
    id,
    platform,
    account,
  );
  if (!row || sendKeyOf(row) !== key || (refusal && row.state !== "uncertain")) return null;
  if (refusal) {
    const kind = refusal.code === "PLATFORM_UNCERTAIN" ? "uncertain" : "failed";
    return settleSend(context, row.id, { kind, error: refusal });
  }
  settleSend(context, row.id, { kind: "sent", receipt: { messageId, sentAt: context.clock.now() } });
  context.db.run("UPDATE outbox SET confirmed = 1 WHERE id = ? AND state = 'sent'", row.id);
  return toFacts(context, bareOutboxRow(context, row.id));
}

/**
 * Parts an answer from the message that it grows in, or waits to complete, since the platform refuses that now: the answer
 * goes out as a new message. A draft that counts as completed is no answer's any more.
 */
function leaveRefusedDraft({ db }: Context, { platform, account, messageId, chat }: Reported): void {
  const drafts = db.all<{ send_key: string; conversation: string }>(
    "SELECT send_key, conversation FROM drafts WHERE message_id = ?",
    messageId,
  );
  for (const { send_key: key, conversation } of drafts) {
    const at = JSON.parse(conversation) as Conversation;
    if (at.platform !== platform || (at.account ?? "") !== account || (chat !== undefined && !isIn(chat, at))) continue;
    db.run("UPDATE drafts SET completed = 1 WHERE send_key = ?", key);
    db.run("UPDATE outbox SET draft_message_id = NULL, draft_key = NULL WHERE draft_key = ? AND state = 'queued'", key);
  }
}

/** Whether the row's handoff has failed while the call was in flight: then the row is cancelled. */
function isTakenBack(context: Context, { handoff_id: id }: Pick<StoredOutboxRow, "handoff_id">): boolean {
  return id !== null && handoffRow(context, id)?.state === "failed";
}

function isIn(chat: Conversation, at: Conversation): boolean {
  return buildSessionKey(chatOf(chat)) === buildSessionKey(chatOf(at));
}

/** Notes a refusal in the session, once for all pieces: nobody would notice it. A running handoff reports its own. */
export function noteRefusal(context: Context, row: BareOutboxRow, refusal: StoredError): void {
  if (row.session_id === null || isRefused(context, row.message_id)) return;
  const handoff = row.handoff_id === null ? undefined : handoffRow(context, row.handoff_id);
  if (handoff !== undefined && handoff.state !== "completed") return;
  addMessages(context, row.session_id, null, [
    { role: "assistant", text: refusalMarker(row.platform, refusal.text), internal: true },
  ]);
}

function isRefused({ db }: Context, messageId: number): boolean {
  return db.get("SELECT 1 FROM outbox WHERE message_id = ? AND state = 'failed' LIMIT 1", messageId) !== undefined;
}

function record(
  { db }: Context,
  id: OutboxId,
  state: OutboxState,
  error: StoredError | null,
  receipt: SendReceipt | null = null,
): void {
  db.run(
    `UPDATE outbox SET state = ?, error_code = ?, error_text = ?, receipt = ?, receipt_message_id = ? WHERE id = ?`,
    state,
    error?.code ?? null,
    error && readable(error.text),
    receipt && JSON.stringify(receipt),
    receipt?.messageId ?? null,
    id,
  );
  if (state !== "queued") forgetSecret(db, id);
}

/** What stood in a message with a code is not kept once the platform has had it. */
function forgetSecret(db: Context["db"], id: OutboxId): void {
  const forgotten = db.run(
    `UPDATE outbox_messages SET message = json_set(message, '$.markdown', 'A code stood here.')
     WHERE id = (SELECT message_id FROM outbox WHERE id = ?) AND json_extract(message, '$.isSecret')`,
    id,
  );
  if (forgotten > 0) db.run("UPDATE outbox SET piece = NULL WHERE id = ?", id);
}

function warn(context: Context, handoffId: HandoffId, error: StoredError): void {
  const handoff = handoffRow(context, handoffId);
  if (handoff?.state !== "running") return;
  addWarning(context, handoffId, `a message to ${handoff.platform} may not have arrived: ${error.text}`);
}
