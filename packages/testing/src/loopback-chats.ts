import type { ChatKind, Conversation, HandoffThread } from "@hermes/core";

/** The chats that can be a home channel. */
export const CHATS = ["home", "team", "street"];

export function kindOf(chatId: string): ChatKind {
  return chatId === "home" ? "dm" : "group";
}

export interface LoopbackThread {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly mark: string;
  /** Whether everybody in the chat reads it. */
  readonly isVisible?: boolean;
}

/** A chat, or the thread in it that is called so; the platform's threads tell whether it is private. */
export function conversationAt(
  chatId: string,
  threadId: string | undefined,
  threads: readonly LoopbackThread[],
): Conversation {
  const isPrivate = threads.some(({ id, isVisible = true }) => id === threadId && !isVisible);
  return {
    ...{ platform: "loopback", chatId, kind: kindOf(chatId) },
    ...(threadId ? { threadId } : {}),
    ...(isPrivate ? { isPrivate } : {}),
  };
}

export function threadAt(thread: LoopbackThread): HandoffThread {
  const { id, chatId } = thread;
  return { conversation: conversationAt(chatId, id, [thread]), link: `loopback://${chatId}/${id}` };
}
