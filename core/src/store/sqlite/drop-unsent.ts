import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { HermesError, type StoredError } from "../../base/errors.ts";
import type { OutboxId } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import type { Context } from "./connection.ts";
import { bareOutboxRow, OF_DELETED_SESSION } from "./outbox-rows.ts";
import { noteRefusal } from "./settle-outbox.ts";

/** Why a message of a session is not sent to a private chat. */
const NOT_THEIRS = new HermesError("SESSION_NOT_THEIRS", {});

/** Whether a message may have arrived: a call for it is under way, or the last one ended without a word. */
const MAY_HAVE_ARRIVED = "(state IN ('sending', 'uncertain') OR error_code = 'PLATFORM_UNCERTAIN')";

/** What people were to read of a session: no edit, and no question, which stands in its session. */
const IS_SAID = `((session_id IS NOT NULL OR ${OF_DELETED_SESSION}) AND edits IS NULL AND approval_id IS NULL)`;

/** The state of what is kept, and its code, which still says that it may have arrived. */
const KEPT = `state = iif(${MAY_HAVE_ARRIVED}, 'uncertain', 'failed'), by_hand_only = 1, told_at = NULL,
  error_code = iif(error_code = 'PLATFORM_UNCERTAIN', error_code, $code), error_text = $text`;

/**
 * Drops what waits for a conversation of a session that nobody there may see any more, and what could not be delivered:
 * it is not offered there again. A call that is under way may succeed, and is not made again: what it sends is
 * uncertain, and held back. What was held back before stays, also where it was to be sent by hand. For use inside a
 * transaction.
 */
export function dropUnsent(context: Context, key: SessionKey, sessionId: SessionId): void {
  const { db } = context;
  const here = { key, sessionId };
  const isHere = "key = +$key AND session_id = $sessionId";
  const refusal = { code: NOT_THEIRS.code, text: NOT_THEIRS.message };
  db.run(
    `UPDATE outbox SET state = 'cancelled', error_code = $code, error_text = $text
     WHERE ${isHere} AND (state IN ('queued', 'failed', 'uncertain') AND by_hand_only = 0
       OR state IN ('queued', 'sending') AND NOT ${IS_SAID})`,
    { ...here, ...refusal },
  );
  noteRefusals(context, isHere, here, refusal);
  db.run(`UPDATE outbox SET ${KEPT} WHERE ${isHere} AND state IN ('queued', 'sending')`, { ...here, ...refusal });
}

/** Why a message of a session was not said where others read by now. */
const READ_BY_OTHERS = { code: "CHAT_NOT_PRIVATE", text: "Others read that chat by now." } as const;

/**
 * Keeps what waits for a conversation, which others read at `to` by now, as refused there: it is told, and sent by nobody
 * but by hand. What may have arrived is kept as uncertain: a call that is under way may succeed, and is not made again.
 * What belongs to no session, and questions, are dropped. For use inside a transaction.
 */
export function withholdUnsent(
  context: Context,
  from: SessionKey,
  to: { readonly key: SessionKey; readonly conversation: Conversation },
): void {
  const { db } = context;
  noteRefusals(context, "key = +$from", { from }, READ_BY_OTHERS);
  // Held back, too: the next answer there is read by others.
  db.run(
    `UPDATE outbox SET ${KEPT}, offered_by = NULL, draft_message_id = NULL, draft_key = NULL, key = $to,
       conversation = $conversation,
       position = position + (SELECT coalesce(max(position), 0) FROM outbox WHERE key = $to)
     WHERE key = +$from AND state IN ('queued', 'sending', 'failed', 'uncertain') AND ${IS_SAID}`,
    { ...READ_BY_OTHERS, from, to: to.key, conversation: JSON.stringify(to.conversation) },
  );
  db.run(
    `UPDATE outbox SET state = 'cancelled', error_code = $code, error_text = $text
     WHERE key = +$from AND state IN ('queued', 'sending', 'failed', 'uncertain')`,
    { ...READ_BY_OTHERS, from },
  );
}

/** Says in their sessions which of the messages that wait at a place are not said there. */
function noteRefusals(context: Context, isThere: string, there: Record<string, string>, refusal: StoredError): void {
  const waiting = context.db.all<{ id: OutboxId }>(
    `SELECT min(id) AS id FROM outbox WHERE ${isThere} AND state = 'queued' AND NOT ${MAY_HAVE_ARRIVED} AND ${IS_SAID}
     GROUP BY message_id ORDER BY min(position)`,
    there,
  );
  for (const { id } of waiting) noteRefusal(context, bareOutboxRow(context, id), refusal);
}
