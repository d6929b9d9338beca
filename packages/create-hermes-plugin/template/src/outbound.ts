import type { Conversation, Piece, SendOptions, SendReceipt } from "@hermes/core";
import type { Connection } from "./api.ts";

/** Sends one piece with one call. Hermes tries again where the error says that it may. */
export async function sendMessage(
  { api }: Connection,
  to: Conversation,
  { text, extra }: Piece,
  { signal }: SendOptions,
): Promise<SendReceipt> {
  const path = `chats/${encodeURIComponent(to.chatId)}/messages`;
  const json = {
    text,
    ...extra,
    // #if threads
    threadId: to.threadId,
    // #end
  };
  // A lost answer may mean that it was sent: Hermes does not send it again then.
  const sent = (await api.call({ method: "POST", path, json, signal, mayBeDone: true })) as SentMessage;
  return { messageId: sent.id, sentAt: sent.sentAt };
}
// #if edits

/** Gives a message another text. Hermes does so while an answer grows, and repeats it after a crash. */
export async function editMessage(
  { api }: Connection,
  { chatId }: Conversation,
  messageId: string,
  { text, extra }: Piece,
  { signal }: SendOptions,
): Promise<SendReceipt> {
  const path = `chats/${encodeURIComponent(chatId)}/messages/${encodeURIComponent(messageId)}`;
  const sent = (await api.call({
    method: "PATCH",
    path,
    json: { text, ...extra },
    signal,
    mayBeDone: true,
  })) as SentMessage;
  return { messageId: sent.id, sentAt: sent.sentAt };
}
// #end

interface SentMessage {
  readonly id: string;
  /** Milliseconds since 1970, by Acme's clock. */
  readonly sentAt: number;
}
