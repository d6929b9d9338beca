import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { InboundMessage, OutboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { SaidMessage } from "../../model/inbox.ts";
import type { SessionId } from "../../model/session.ts";
import type { Context } from "./connection.ts";

/** See Inbox. For use inside a transaction. */
export function saidIn(context: Context, at: Conversation, messageId: string): SaidMessage | null {
  return saidByPerson(context, at, messageId) ?? saidByBot(context, at, messageId);
}

/** Finds a person's message. Once answered it is a tombstone, and its text comes from the transcript, if it is there. */
function saidByPerson({ db }: Context, at: Conversation, messageId: string): SaidMessage | null {
  const row = db.get<{ message: string | null; text: string | null }>(
    `SELECT inbox.message, messages.text FROM inbox
     LEFT JOIN turns ON turns.inbox_id = inbox.id
     LEFT JOIN messages
       ON messages.session_id = turns.session_id AND messages.seq = turns.message_seq AND messages.hidden_at IS NULL
     WHERE inbox.chat = ? AND inbox.message_id = ?`,
    buildSessionKey(chatOf(at)),
    messageId,
  );
  if (row === undefined) return null;
  if (row.message !== null) {
    const { sender, text } = JSON.parse(row.message) as InboundMessage;
    return { by: "person", sender, text };
  }
  return row.text === null ? null : { by: "person", sender: null, text: row.text };
}

function saidByBot({ db }: Context, at: Conversation, messageId: string): SaidMessage | null {
  const chat = buildSessionKey(chatOf(at));
  const row = db
    .all<{ conversation: string; message: string; session_id: SessionId | null; later: number }>(
      `SELECT conversation, outbox_messages.message, session_id, EXISTS (
         SELECT 1 FROM outbox AS other
         WHERE other.key = outbox.key AND other.position > outbox.position AND other.state = 'sent'
       ) AS later
       FROM outbox JOIN outbox_messages ON outbox_messages.id = outbox.message_id
       WHERE receipt_message_id = +? AND platform = +? AND account = +?
       ORDER BY outbox.created_at DESC LIMIT 20`,
      messageId,
      at.platform,
      at.account ?? "",
    )
    .find(({ conversation }) => buildSessionKey(chatOf(JSON.parse(conversation) as Conversation)) === chat);
  if (row === undefined) return null;
  const { markdown } = JSON.parse(row.message) as OutboundMessage;
  return { by: "bot", text: markdown, sessionId: row.session_id, isLatest: row.later === 0 };
}
