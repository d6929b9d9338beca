import type { Conversation, HomeChannel } from "@hermes/core";
import { type Bot, inChat } from "./bot-api.ts";
import { forbidden, threadGone } from "./errors.ts";
import { conversationIn, refusalToPost } from "./source.ts";

/**
 * Finds out what kind of chat the home channel is, and whether the bot can write there. Throws PLATFORM_NOT_FOUND or
 * PLATFORM_FORBIDDEN with what to do.
 */
export async function homeConversation(bot: Bot, home: HomeChannel): Promise<Conversation> {
  const { api, me, options } = bot;
  const chat = await inChat(bot, home.chatId, (wireId) => api.getChat(wireId));
  if (chat.type === "channel") {
    throw forbidden("a channel cannot be talked in", "Take a group, or the private chat with the bot.");
  }
  const id = String(chat.id);
  if (chat.type !== "private") {
    const own = await inChat(bot, id, (wireId) => api.getChatMember(wireId, me.id));
    const refusal = refusalToPost(own, chat);
    if (refusal) throw forbidden(`the bot ${refusal.reason} "${chat.title ?? id}"`, refusal.hint);
  }
  const at = conversationIn({ id, isPrivate: chat.type === "private" }, home.threadId, options.account);
  // Telegram has no call that reads a topic, but refuses the typing action in a missing one.
  if (at.threadId !== undefined) {
    const thread = { message_thread_id: Number(at.threadId) };
    if (!Number.isSafeInteger(thread.message_thread_id)) throw threadGone();
    await inChat(bot, at.chatId, (wireId) => api.sendChatAction(wireId, "typing", thread));
  }
  return at;
}
