import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { type ApprovalId, closedQuestion, type ShownApproval, withdrawnQuestion } from "../../model/approval.ts";
import { type AskId, type AskPlace, closedAsk } from "../../model/ask.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { OutboxId, OutboxState } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import { type ApprovalRow, approvalRow, approvalRows, toApproval } from "./approval-rows.ts";
import { type AskRow, askRow, toAsk } from "./ask-rows.ts";
import type { Context } from "./connection.ts";
import { enqueue } from "./outbox-rows.ts";

/** A piece of a message that asks, or of one above it. */
interface QuestionPiece {
  readonly id: OutboxId;
  readonly key: SessionKey;
  readonly conversation: string;
  readonly message_id: number;
  readonly part: number;
  readonly state: OutboxState;
  readonly receipt_message_id: string | null;
  readonly handoff_id: HandoffId | null;
  readonly approval_part: "above" | "asks" | "closes";
}

/** What is asked, of an approval or of an ask. */
interface Asked {
  readonly id: ApprovalId | AskId;
  readonly session_id: SessionId | null;
  readonly turn_id: TurnId | null;
  /** JSON: the messages that ask, in order. */
  readonly messages: string;
}

/** The states in which a question stands at its place, or will, or may. */
const STANDS = "state IN ('queued', 'sending', 'sent', 'uncertain')";

/** Queues the messages that ask at a place, unless they stand there. For use inside a transaction, like all of this. */
export function showQuestion(
  context: Context,
  row: Asked,
  { key, conversation }: AskPlace,
  handoffId: HandoffId | null = null,
): void {
  if (stands(context, row.id, key)) return;
  const messages = JSON.parse(row.messages) as OutboundMessage[];
  for (const [at, message] of messages.entries()) {
    enqueue(context, [{ key, conversation, message }], {
      ...{ sessionId: row.session_id, turnId: row.turn_id, approvalId: row.id, handoffId },
      approvalPart: at === messages.length - 1 ? "asks" : "above",
    });
  }
}

/** Queues an ask at a place, unless it stands there. */
export function showAsk(context: Context, row: AskRow, at: AskPlace): void {
  showQuestion(context, askedIn(row), at);
}

function askedIn({ id, message }: AskRow): Asked {
  return { id, session_id: null, turn_id: null, messages: `[${message}]` };
}

/** Queues the open questions of a session at a place that does not show them yet. */
export function showQuestionsOf(
  context: Context,
  sessionId: SessionId,
  at: AskPlace,
  handoffId: HandoffId | null = null,
): void {
  for (const row of approvalRows(context, "session_id = ? AND state = 'open'", sessionId)) {
    showQuestion(context, row, at, handoffId);
  }
}

function stands({ db }: Context, id: Asked["id"], key: SessionKey): boolean {
  const found = db.get(
    `SELECT 1 FROM outbox WHERE approval_id = ? AND approval_part = 'asks' AND key = +? AND ${STANDS} LIMIT 1`,
    id,
    key,
  );
  return found !== undefined;
}

/** Finds the open questions of one place, and looks at none of the others. */
export const SHOWN_AT = `
SELECT approvals.* FROM (
  SELECT DISTINCT approval_id FROM outbox
  WHERE key = +? AND approval_part = 'asks' AND approval_id IS NOT NULL AND ${STANDS}
) AS asked CROSS JOIN approvals ON approvals.id = asked.approval_id
WHERE approvals.state = 'open' ORDER BY approvals.number`;

/** The open questions that a conversation shows, the oldest first. */
export function questionsAt(context: Context, key: SessionKey): ShownApproval[] {
  return context.db.all<ApprovalRow>(SHOWN_AT, key).map((row) => {
    // The last piece has the choices.
    const last = context.db.get<{ sent_at: number | null; is_latest: number }>(
      `SELECT CASE state WHEN 'sent' THEN receipt ->> '$.sentAt' END AS sent_at, NOT EXISTS (
         SELECT 1 FROM outbox AS later JOIN outbox_messages ON outbox_messages.id = later.message_id
         WHERE later.key = outbox.key AND later.position > outbox.position AND later.state = 'sent'
           AND outbox_messages.message ->> '$.kind' != 'notice'
       ) AS is_latest
       FROM outbox WHERE approval_id = ? AND approval_part = 'asks' AND key = +? AND ${STANDS}
       ORDER BY position DESC, part DESC LIMIT 1`,
      row.id,
      key,
    );
    return { approval: toApproval(row), key, shownAt: last?.sent_at ?? null, isLatest: last?.is_latest === 1 };
  });
}

/**
 * Closes a question that is over, at each place: one that waits there is not sent, and what came of it is said instead;
 * one that was sent is edited; one of unknown fate is left until its fate is known. Idempotent.
 */
export function closeQuestion(context: Context, row: ApprovalRow): void {
  close(context, row, closedQuestion(toApproval(row)));
}

/** The same for an ask. */
export function closeAsk(context: Context, row: AskRow): void {
  close(context, askedIn(row), closedAsk(toAsk(row)));
}

function close(context: Context, row: Asked, closed: OutboundMessage): void {
  const { db, clock } = context;
  db.run(
    `UPDATE outbox SET state = 'cancelled'
     WHERE approval_id = ? AND approval_part = 'above' AND state IN ('queued', 'failed')`,
    row.id,
  );
  // What is over is not said again below a notice.
  db.run(
    `UPDATE outbox SET offered_at = coalesce(offered_at, ?)
     WHERE approval_id = ? AND approval_part IN ('above', 'asks') AND state = 'uncertain'`,
    clock.now(),
    row.id,
  );
  const pieces = db.all<QuestionPiece>(
    "SELECT * FROM outbox WHERE approval_id = ? AND approval_part != 'above' ORDER BY position, part",
    row.id,
  );
  for (const ofPlace of Map.groupBy(pieces, ({ key }) => key).values()) {
    const asking = ofPlace.filter((piece) => piece.approval_part === "asks" && piece.state !== "cancelled");
    const isClosed = ofPlace.some((piece) => piece.approval_part === "closes");
    for (const message of isClosed ? [] : Map.groupBy(asking, ({ message_id: id }) => id).values()) {
      closeAt(context, row, message, closed);
    }
  }
}

function closeAt(context: Context, row: Asked, pieces: readonly QuestionPiece[], closed: OutboundMessage): void {
  const last = pieces.at(-1);
  if (last === undefined) return;
  const { key } = last;
  const entry = {
    key,
    conversation: JSON.parse(last.conversation) as Conversation,
    message: closed,
  };
  const of = {
    handoffId: last.handoff_id,
    sessionId: row.session_id,
    turnId: row.turn_id,
    approvalId: row.id,
    approvalPart: "closes",
  } as const;
  if (last.state === "sent") {
    enqueue(context, [entry], { ...of, draftMessageId: last.receipt_message_id });
    return;
  }
  for (const { id, state } of pieces) {
    if (state === "queued" || state === "failed") {
      context.db.run("UPDATE outbox SET state = 'cancelled' WHERE id = ?", id);
    }
  }
  if (last.state === "queued") enqueue(context, [entry], of);
}

/** Closes the question of a row whose fate has become known, if it is over by now. */
export function closeIfOver(context: Context, id: Asked["id"] | null): void {
  if (id === null) return;
  const row = approvalRow(context, id as ApprovalId);
  if (row !== undefined && row.state !== "open") closeQuestion(context, row);
  const ask = row === undefined ? askRow(context, id as AskId) : undefined;
  if (ask !== undefined && ask.state !== "open") closeAsk(context, ask);
}

/**
 * Moves the open questions of a thread that is gone: each is asked anew, with all that stands above it, since what was
 * sent there, or may have been, is not seen at the other place.
 */
export function moveQuestions(context: Context, from: SessionKey, to: AskPlace): void {
  const { db } = context;
  const asked = db.all<{ approval_id: ApprovalId & AskId }>(
    `SELECT DISTINCT approval_id FROM outbox
     WHERE key = +? AND approval_part = 'asks' AND state != 'cancelled' AND (
       approval_id IN (SELECT id FROM approvals WHERE state = 'open')
       OR approval_id IN (SELECT id FROM asks WHERE state = 'open')
     )`,
    from,
  );
  db.run("UPDATE asks SET surface = ? WHERE surface = ? AND state = 'open'", to.key, from);
  // An edit of a message that is gone would become a new message.
  db.run(
    `UPDATE outbox SET state = CASE state WHEN 'sent' THEN state ELSE 'cancelled' END, approval_id = NULL
     WHERE key = +? AND approval_id IS NOT NULL
       AND NOT (approval_part = 'closes' AND draft_message_id IS NULL AND state IN ('queued', 'sending'))`,
    from,
  );
  for (const { approval_id: id } of asked) {
    const row = approvalRow(context, id);
    const ask = row === undefined ? askRow(context, id) : undefined;
    if (row !== undefined) showQuestion(context, row, to);
    if (ask !== undefined) showAsk(context, ask, to);
  }
}

/** Takes the open questions back that a handoff put to a place: the session has left it. */
export function withdrawQuestions(context: Context, handoffId: HandoffId): void {
  const { db } = context;
  const asking = db.all<QuestionPiece & { readonly approval_id: ApprovalId | null }>(
    `SELECT * FROM outbox WHERE handoff_id = ? AND approval_part = 'asks' AND approval_id IS NOT NULL
     ORDER BY position, part`,
    handoffId,
  );
  db.run("UPDATE outbox SET approval_id = NULL WHERE handoff_id = ? AND approval_part != 'closes'", handoffId);
  for (const pieces of Map.groupBy(asking, ({ message_id: id }) => id).values()) {
    const last = pieces.at(-1);
    const row = last?.approval_id == null ? undefined : approvalRow(context, last.approval_id);
    if (last?.state !== "sent" || row?.state !== "open") continue;
    const conversation = JSON.parse(last.conversation) as Conversation;
    enqueue(context, [{ key: last.key, conversation, message: withdrawnQuestion(toApproval(row)) }], {
      ...{ sessionId: row.session_id, turnId: row.turn_id },
      ...{ approvalPart: "closes", draftMessageId: last.receipt_message_id },
    });
  }
}
