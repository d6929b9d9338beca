import type { Conversation } from "@hermes/core";

export const PLATFORM = "acme";

/**
 * The one place where conversations are made. What a person writes where a session was handed off to has to get the key
 * of that place, byte by byte, also after a restart.
 */
export function conversationIn(
  chat: { readonly id: string; readonly isPrivate: boolean },
  within: Pick<Conversation, "account" | "threadId">,
): Conversation {
  return { platform: PLATFORM, chatId: chat.id, kind: chat.isPrivate ? "dm" : "group", ...within };
}
