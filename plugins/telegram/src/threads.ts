import { type Conversation, type HandoffThread, threadName } from "@hermes/core";
import type { Api } from "grammy";
import { type Bot, inChat } from "./bot-api.ts";
import { forbidden, isRefusal, MANAGE_TOPICS, THREADED_MODE, TOPICS, toPlatformError, unavailable } from "./errors.ts";
import { conversationIn, isPrivateChat, linkTo } from "./source.ts";

/** Characters of a topic's name ("createForumTopic"); counted in UTF-16 units here, which are never fewer. */
const LONGEST_NAME = 128;

/**
 * Opens a topic: in a forum, or in a private chat where the bot's owner has turned topics on. One attempt. Throws
 * PLATFORM_FORBIDDEN with the setting or right that is missing.
 */
export async function openTopic(bot: Bot, chatId: string, title: string, signal: AbortSignal): Promise<HandoffThread> {
  const { api, chatIds, options } = bot;
  const isPrivate = isPrivateChat(chatIds.current(chatId));
  // Asked each time: the owner may have turned it on since the start.
  const username = isPrivate ? await checkThreadedMode(api) : null;
  signal.throwIfAborted();
  const topic = await inChat(
    bot,
    chatId,
    // Not to be cut off: whether there is a topic then could not be found out.
    (chat) =>
      api.createForumTopic(chat, threadName(title, LONGEST_NAME)).catch((error) => rethrowWithRemedy(error, username)),
  );
  const threadId = String(topic.message_thread_id);
  const conversation = conversationIn({ id: chatIds.current(chatId), isPrivate }, threadId, options.account);
  if (signal.aborted) {
    // Nobody waits for it any more, so nobody would know of it.
    await removeTopic(bot, conversation);
    signal.throwIfAborted();
  }
  return { conversation, link: linkTo(chatIds.current(chatId), threadId) };
}

/** Removes a topic with all that is in it; closes it where the bot may not do that. */
export async function removeTopic(bot: Bot, at: Conversation): Promise<void> {
  const { api, logger } = bot;
  const threadId = Number(at.threadId);
  try {
    await inChat(bot, at.chatId, (chat) => api.deleteForumTopic(chat, threadId));
  } catch (error) {
    const { code, message } = toPlatformError(error);
    if (code === "PLATFORM_THREAD_GONE") return;
    if (code !== "PLATFORM_FORBIDDEN") throw error;
    logger.info({ reason: message }, "a topic may not be deleted; it is closed instead");
    await inChat(bot, at.chatId, (chat) => api.closeForumTopic(chat, threadId));
  }
}

/** Returns the bot's name. */
async function checkThreadedMode(api: Api): Promise<string> {
  const me = await api.getMe().catch((error: unknown) => {
    throw toPlatformError(error);
  });
  if (!me.has_topics_enabled) throw threadedModeOff(me.username);
  return me.username;
}

/** `ownBot`: the bot's name in a private chat, which has no administrators; null in a group. */
function rethrowWithRemedy(error: unknown, ownBot: string | null): never {
  const description = isRefusal(error) ? error.description : "";
  const isOff = /not a forum|CHANNEL_FORUM_MISSING/i.test(description);
  const isForbidden = /not enough rights|CHAT_ADMIN_REQUIRED/i.test(description);
  if (ownBot !== null && (isOff || isForbidden)) throw threadedModeOff(ownBot);
  if (isOff) throw topicsOff();
  if (isForbidden) throw rightMissing();
  if (toPlatformError(error, { mayBeDone: true }).code === "PLATFORM_UNCERTAIN") {
    throw unavailable("the answer was lost when a topic was opened, so there may be an empty one");
  }
  throw error;
}

/**
 * A setting of the bot's owner: `getMe` shows it as `has_topics_enabled` ("User"). It stands in @BotFather's Mini App
 * only; the menu of `/mybots` in the chat does not list it.
 */
function threadedModeOff(username: string): Error {
  return forbidden(
    `topics are off in private chats with @${username}; its owner turns "Threaded Mode" on in @BotFather`,
    `${THREADED_MODE} Then hand off again.`,
  );
}

function topicsOff(): Error {
  return forbidden("topics are off in this group; an administrator turns them on in the group's settings", TOPICS);
}

/** `can_manage_topics` is a right of its own ("ChatAdministratorRights"); topics that are there work without it. */
function rightMissing(): Error {
  return forbidden('the bot lacks the right "Manage Topics" in this group', `${MANAGE_TOPICS} Then hand off again.`);
}
