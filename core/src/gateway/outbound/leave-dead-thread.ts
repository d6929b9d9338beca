import { chatOf, onAccount } from "../../adapter/conversation.ts";
import { tryThread } from "../../handoff/open-thread.ts";
import type { OutboxRow } from "../../model/outbox.ts";
import type { Delivery } from "./delivery.ts";

/**
 * Moves a conversation out of a deleted thread, into a new thread of the home channel or into the chat itself, with its
 * binding and its waiting messages. The deleted thread's id is never used again.
 */
export async function leaveDeadThread(delivery: Delivery, row: OutboxRow): Promise<void> {
  const { store, adapter, logger, account } = delivery;
  const to = onAccount((await newThread(delivery, row)) ?? chatOf(row.conversation), account.account);
  const key = adapter.buildSessionKey(to);
  const notice = {
    sessionId: row.sessionId,
    message: { kind: "notice", markdown: "The thread this session was in is gone; it goes on here." },
  } as const;
  await store.outbox.moveLane(row.key, { key, conversation: to }, notice);
  delivery.opened.forget(row.id);
  logger.info({ platform: adapter.platform, from: row.key, to: key }, "a conversation left a thread that is gone");
}

async function newThread({ store, clock, adapter, homeWatch, logger, opened }: Delivery, row: OutboxRow) {
  const channel = homeWatch.home?.channel;
  if (!adapter.capabilities.threads || channel === undefined || channel.chatId !== row.conversation.chatId) return null;
  // Only in a home channel that is a chat: one that is a thread itself says nothing of the chat around it.
  if (channel.threadId !== undefined) return null;
  const session = row.sessionId === null ? null : await store.sessions.get(row.sessionId);
  const { thread, reason } = await tryThread(
    {
      ...{ adapter, clock, home: channel },
      name: session?.title ?? "Session",
      mark: row.id,
      // A process may have died between opening it and moving there; the row's id is its mark either way.
      wasAskedFor: true,
      opened,
      signal: new AbortController().signal,
    },
    channel,
  );
  if (thread === null) logger.warn({ row: row.id, reason }, "no new thread could be opened");
  return thread?.conversation ?? null;
}
