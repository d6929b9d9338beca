import { type Conversation, type HandoffThread, PlatformError } from "@hermes/core";
import type { Bot } from "./bot.ts";
import { threadName } from "./format.ts";
import { transactionId } from "./outbound.ts";
import { conversationIn, linkTo } from "./source.ts";
import { isRedacted } from "./wire.ts";

/** How many pages of the bot's own messages are looked through for a thread. */
const MOST_PAGES = 10;

/**
 * Begins a thread: any message can, so one with the session's title does. The mark makes the transaction, by which the
 * same thread is found again.
 */
export async function openThread(
  bot: Bot,
  roomId: string,
  title: string,
  mark: string,
  signal: AbortSignal,
): Promise<HandoffThread> {
  const { rooms, outbound } = bot;
  const current = rooms.current(roomId);
  const name = threadName(title);
  const content = {
    msgtype: "m.text",
    body: name,
    "m.mentions": {},
  };
  signal.throwIfAborted();
  // Not to be cut off: whether there is a thread then could not be found out.
  const post = () => outbound.post(current, content, transactionId("thread", mark));
  const { messageId } = await post().catch((error: unknown) => {
    // The answer may have been lost; the same transaction once more begins no second thread.
    if (error instanceof PlatformError && error.code === "PLATFORM_UNAVAILABLE") return post();
    throw error;
  });
  const thread = await threadAt(bot, current, messageId);
  if (signal.aborted) {
    // Nobody waits for it any more, so nobody would know of it.
    await removeThread(bot, thread.conversation);
    signal.throwIfAborted();
  }
  return thread;
}

/**
 * The thread that was begun with a mark; null when there is none. The server tells the session that sent an event its
 * transaction id, and nobody else.
 */
export async function findThread(
  bot: Bot,
  roomId: string,
  mark: string,
  signal: AbortSignal,
): Promise<HandoffThread | null> {
  const { api, rooms, userId } = bot;
  const current = rooms.current(roomId);
  const wanted = transactionId("thread", mark);
  const filter = JSON.stringify({ senders: [userId], types: ["m.room.message", "m.room.encrypted"] });
  let from: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { chunk, end } = await api.messages(current, { filter, ...(from ? { from } : {}) }, signal);
    const root = chunk.find((event) => event.unsigned?.transaction_id === wanted && !isRedacted(event));
    if (root) return threadAt(bot, current, root.event_id);
    if (end === undefined) return null;
    from = end;
  }
  return null;
}

/** Removes what the bot wrote in a thread, and at last the message it hangs on. */
export async function removeThread({ api, rooms, userId }: Bot, at: Conversation): Promise<void> {
  const { threadId } = at;
  if (threadId === undefined) return;
  const roomId = rooms.current(at.chatId);
  const root = await api.event(roomId, threadId);
  if (root === null || isRedacted(root)) return;
  const { chunk } = await api.relations(roomId, threadId, "m.thread");
  const own = chunk.filter(({ sender }) => sender === userId).map(({ event_id: id }) => id);
  for (const id of [...own, threadId]) await api.redact(roomId, id, transactionId("redact", id));
}

async function threadAt({ rooms, options, userId }: Bot, roomId: string, eventId: string): Promise<HandoffThread> {
  const room = { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) };
  return {
    conversation: conversationIn(room, eventId, options.account),
    link: linkTo(roomId, eventId, userId),
  };
}
