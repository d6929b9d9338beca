import type { OutboundMessage } from "../../adapter/message.ts";
import type { HermesError } from "../../base/errors.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";

/** Makes the outbox entry of a reply to an inbox row. */
export function replyTo(
  { key, message: { conversation } }: InboxRow,
  message: OutboundMessage,
  sessionId: SessionId | null = null,
): NewOutboxEntry {
  return { key, conversation, message, sessionId };
}

/** Returns the text of an error for a chat: its sentence and the next step. */
export function errorText({ code, message, hint }: HermesError): string {
  // Where the store lies, and which process holds it, is none of a chat's business.
  if (code.startsWith("STORE_")) return "Hermes cannot reach its store just now. Try again in a moment.";
  return `${message} ${hint}`.trim();
}
