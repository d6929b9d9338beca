import type { Conversation } from "@hermes/core";
import type { ChatFullInfo, ChatMember, Message } from "grammy/types";

export const PLATFORM = "telegram";

/** What a supergroup's id has in front of the number that links name it by. */
const SUPERGROUP_PREFIX = "-100";

/** The General topic of a forum: the chat itself, which the Bot API refuses to be told by this id. */
const GENERAL_TOPIC = "1";

/** A chat, or a topic in it, as a conversation. */
export function conversationIn(
  chat: { readonly id: string; readonly isPrivate: boolean },
  threadId: string | undefined,
  account: string | undefined,
): Conversation {
  return {
    platform: PLATFORM,
    chatId: chat.id,
    kind: chat.isPrivate ? "dm" : "group",
    ...(account === undefined ? {} : { account }),
    ...(threadId === undefined || threadId === GENERAL_TOPIC ? {} : { threadId }),
  };
}

/**
 * The topic that a message is in. `message_thread_id` alone says nothing: a reply in a group without topics, or in the
 * General topic, carries the id of the message that the replies began with ("Message").
 */
export function topicOf({ message_thread_id: threadId, is_topic_message: isTopic, chat }: Message): string | undefined {
  const hasTopics = chat.type === "private" || chat.is_forum === true;
  return isTopic === true && hasTopics && threadId !== undefined ? String(threadId) : undefined;
}

/** The title of a group or channel, or the name of a person. */
export function nameOf(named: {
  readonly title?: string;
  readonly first_name?: string;
  readonly last_name?: string;
}): string {
  return named.title ?? [named.first_name, named.last_name].filter(Boolean).join(" ");
}

/** Private chats have the ids of people, which are positive; groups have negative ones. */
export function isPrivateChat(chatId: string): boolean {
  return /^\d+$/.test(chatId);
}

/** How the Bot API wants an id: a number, or a public chat's `@name`. */
export function toWireId(chatId: string): number | string {
  return /^-?\d+$/.test(chatId) ? Number(chatId) : chatId;
}

/** The link that opens a message or a topic of a supergroup for its members; there is none for other chats. */
export function linkTo(chatId: string, ...path: readonly (string | number | undefined)[]): string | undefined {
  if (!chatId.startsWith(SUPERGROUP_PREFIX) || chatId.length <= 10) return undefined;
  const internalId = -Number(chatId) - 1_000_000_000_000;
  return ["https://t.me/c", internalId, ...path.filter((part) => part !== undefined)].join("/");
}

/** Why the bot cannot write in a group, as the middle of a sentence; null where it can. */
export function refusalToPost(own: ChatMember, { permissions }: ChatFullInfo): { reason: string; hint: string } | null {
  if (own.status === "left") return { reason: "is not a member of", hint: "Add it to the group." };
  if (own.status === "kicked") return { reason: "was removed from", hint: "Add it to the group again." };
  const mayWrite =
    own.status === "restricted"
      ? own.can_send_messages
      : own.status !== "member" || permissions?.can_send_messages !== false;
  return mayWrite ? null : { reason: "may not write in", hint: "An administrator of the group permits it." };
}
