import type { HistoryEntry, InboundMessage, MessageHistory } from "@hermes/core";

/** What was written, as an adapter reads it that was away. Ids hold a number that grows. */
export function historyOf(messages: readonly InboundMessage[]): MessageHistory {
  const numberIn = (id: string) => Number(/\d+$/.exec(id)?.[0] ?? 0);
  const isAfter = (a: string, b: string) => numberIn(a) > numberIn(b);
  return {
    isAfter,
    before: (id) => `in-${numberIn(id) - 1}`,
    // Numbers say nothing of the time: the last one there is.
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
