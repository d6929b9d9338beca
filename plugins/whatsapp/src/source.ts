import type { Conversation } from "@hermes/core";
import { isGroupId } from "./ids.ts";

export const PLATFORM = "whatsapp";

/** A chat as a conversation. WhatsApp has no threads. */
export function conversationIn(chatId: string, account: string | undefined): Conversation {
  return {
    platform: PLATFORM,
    chatId,
    kind: isGroupId(chatId) ? "group" : "dm",
    ...(account === undefined ? {} : { account }),
  };
}

/** The link that opens the chat with a number ("Click to chat"); there is none for other chats. */
export function linkTo(chatId: string): string | undefined {
  return /^\d+$/.test(chatId) ? `https://wa.me/${chatId}` : undefined;
}
