import {
  type ChatKind,
  type Conversation,
  type HandoffThread,
  type HistoryEntry,
  type Identities,
  type InboundMessage,
  type MessageHistory,
  senderOf,
} from "@hermes/core";

/** The names of the chats, by their ids. */
export const CHAT_NAMES: ReadonlyMap<string, string> = new Map([
  ["home", "Home"],
  ["team", "Team"],
  ["street", "Street"],
]);

/** The chats that can be a home channel. */
export const CHATS = [...CHAT_NAMES.keys()];

function kindOf(chatId: string): ChatKind {
  return chatId === "home" || chatId.startsWith("dm-") ? "dm" : "group";
}

export interface LoopbackThread {
  readonly id: string;
  readonly chatId: string;
  readonly name: string;
  readonly mark: string;
  /** Whether everybody in the chat can read it. */
  readonly isVisible?: boolean;
}

/** The conversation of a chat or a thread in it; `threads` tells whether the thread is private. */
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

/** The message history for an adapter that was away. Ids contain an ascending number. */
export function historyOf(messages: readonly InboundMessage[]): MessageHistory {
  const numberIn = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? 0);
  const isAfter = (a: string, b: string) => numberIn(a) > numberIn(b);
  return {
    isAfter,
    before: (id) => `in-${numberIn(id) - 1}`,
    // Ids say nothing about the time, so this is always the last one.
    at: () => messages.at(-1)?.messageId ?? "in-0",
    lanes: async (after) =>
      [...new Set(messages.map((message) => entryOf(message).place))].map((lane) => ({ lane, after })),
    async *missed(lane, heard) {
      for (const entry of messages.map(entryOf)) {
        if (entry.place === lane && isAfter(entry.id, heard.upTo(lane))) yield entry;
      }
    },
  };
}

export function entryOf(message: InboundMessage): HistoryEntry {
  return { place: message.conversation.chatId, id: message.messageId, decode: async () => message };
}

/** Adds all ids of its author to a message: people who have a number are known by that, too. */
export async function withPerson(
  message: InboundMessage,
  numbers: ReadonlyMap<string, string>,
  identities: Identities,
): Promise<InboundMessage> {
  const { sender } = message;
  const number = numbers.get(sender.id);
  if (number === undefined) return message;
  const person = await identities.note([
    { id: sender.id, strength: "strong" },
    { id: number, strength: "weak" },
  ]);
  return { ...message, sender: { ...sender, ...senderOf(person) } };
}
