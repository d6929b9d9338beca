import type { Conversation, HomeChannel } from "@hermes/core";
import type { ChatMember } from "grammy/types";
import { type Bot, inChat } from "./bot-api.ts";
import { forbidden, threadGone } from "./errors.ts";
import { conversationIn } from "./source.ts";

/**
 * Finds out what kind of chat the home channel is, and whether the bot can write there. Throws PLATFORM_NOT_FOUND or
 * PLATFORM_FORBIDDEN with what to do.
 */
export async function findHome(bot: Bot, home: HomeChannel): Promise<Conversation> {
  const { api, me, options } = bot;
  const chat = await inChat(bot, home.chatId, (wireId) => api.getChat(wireId));
  if (chat.type === "channel") {
    throw forbidden("a channel cannot be talked in", "Take a group, or the private chat with the bot.");
  }
  const id = String(chat.id);
  if (chat.type !== "private") {
    const member = await inChat(bot, id, (wireId) => api.getChatMember(wireId, me.id));
    checkMembership(member, chat.title ?? id);
  }
  const at = conversationIn({ id, isPrivate: chat.type === "private" }, home.threadId, options.account);
  // Telegram tells nothing of a topic, but it refuses to show typing in one that is not there.
  if (at.threadId !== undefined) {
    const thread = { message_thread_id: Number(at.threadId) };
    if (!Number.isSafeInteger(thread.message_thread_id)) throw threadGone();
    await inChat(bot, at.chatId, (wireId) => api.sendChatAction(wireId, "typing", thread));
  }
  return at;
}

function checkMembership(member: ChatMember, name: string): void {
  if (member.status === "left" || member.status === "kicked") {
    throw forbidden(`the bot is not a member of "${name}"`, "Add it to the group again.");
  }
  if (member.status === "restricted" && !member.can_send_messages) {
    throw forbidden(`the bot may not write in "${name}"`, "An administrator of the group permits it.");
  }
}
