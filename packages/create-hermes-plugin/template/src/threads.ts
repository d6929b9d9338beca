import { type HandoffThread, threadName } from "@hermes/core";
import { type Connection, readChat } from "./api.ts";
import { conversationIn } from "./source.ts";

/** The longest name of a thread, in UTF-16 units. */
const LONGEST_NAME = 60;

/** Opens a thread that everybody in the chat sees; null in a chat that has no threads by nature. */
export async function openThread(
  connection: Connection,
  chatId: string,
  title: string,
  signal: AbortSignal,
): Promise<HandoffThread | null> {
  const { api, deps } = connection;
  const chat = await readChat(connection, chatId, signal);
  if (!chat.hasThreads) return null;
  const path = `chats/${encodeURIComponent(chat.id)}/threads`;
  const json = { name: threadName(title, LONGEST_NAME) };
  const { id, link } = (await api.call({ method: "POST", path, json, signal, mayBeDone: true })) as AcmeThread;
  return { conversation: conversationIn(chat, { account: deps.options.account, threadId: id }), link };
}

/** Removes a thread of a handoff that failed. It may be gone already. */
export async function removeThread({ api }: Connection, { conversation }: HandoffThread, signal: AbortSignal) {
  const { chatId, threadId = "" } = conversation;
  await api.call({ method: "DELETE", path: threadPath(chatId, threadId), signal });
}

/** Throws PLATFORM_THREAD_GONE where it is not there. */
export async function checkThread({ api }: Connection, chatId: string, threadId: string): Promise<void> {
  await api.call({ path: threadPath(chatId, threadId) });
}

function threadPath(chatId: string, threadId: string): string {
  return `chats/${encodeURIComponent(chatId)}/threads/${encodeURIComponent(threadId)}`;
}

interface AcmeThread {
  readonly id: string;
  /** Opens it in a browser or an app. */
  readonly link?: string;
}
