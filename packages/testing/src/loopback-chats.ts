import type { ChatKind, HandoffThread } from "@hermes/core";

/** The chats that can be a home channel. */
export const CHATS = ["home", "team", "street"];

export function kindOf(chatId: string): ChatKind {
  return chatId === "home" ? "dm" : "group";
}

export function threadAt({ id, chatId }: { readonly id: string; readonly chatId: string }): HandoffThread {
  return {
    conversation: { platform: "loopback", chatId, kind: kindOf(chatId), threadId: id },
    link: `loopback://${chatId}/${id}`,
  };
}
