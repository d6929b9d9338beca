import type { InboundMessage } from "@hermes/core";
import type { AcmeMessage, Connection } from "./api.ts";
import { conversationIn } from "./source.ts";

/** A message in Hermes' words; null for what the bot wrote itself. */
export function decode(message: AcmeMessage, { ownId, deps }: Connection): InboundMessage | null {
  const { id, chat, from, text, sentAt, mentions, isEdited, forwardedFrom: writer } = message;
  if (from.id === ownId) return null;
  return {
    conversation: conversationIn(chat, {
      account: deps.options.account,
      // #if threads
      threadId: message.threadId,
      // #end
    }),
    messageId: id,
    sender: from,
    // Somebody else's words are quoted: a `/new` among them is no command of the sender's.
    ...(writer === undefined ? { text } : { text: "", quotes: [{ kind: "forward", writer, text }] }),
    sentAt,
    isEdit: isEdited,
    isAddressed: mentions.includes(ownId),
    chatName: chat.name,
  };
}
