import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import { BOT, type ChatRecord, ICON_COLOR, type Topic, type World } from "./world.ts";

/** Characters of a topic's name ("createForumTopic"). */
const LONGEST_NAME = 128;

/** Opens a topic, as the bot or as a person. */
export function openTopic(chat: ChatRecord, name: string, byBot: boolean): Topic {
  const topic: Topic = { id: chat.newMessageId(), name, byBot, isClosed: false };
  chat.topics.set(topic.id, topic);
  return topic;
}

export function createForumTopic(world: World, params: Params): unknown {
  const chat = forumIn(world, params);
  if (!world.may(chat, "can_manage_topics")) throw badRequest("not enough rights to create a topic");
  const name = params.text("name");
  if (name.trim() === "") throw badRequest("topic name must be non-empty");
  if ([...name].length > LONGEST_NAME) throw badRequest("TOPIC_TITLE_TOO_LONG");
  const topic = openTopic(chat, name, true);
  return { message_thread_id: topic.id, name, icon_color: ICON_COLOR };
}

export function deleteForumTopic(world: World, params: Params): true {
  const chat = forumIn(world, params);
  if (!world.may(chat, "can_delete_messages")) throw badRequest("not enough rights to delete the topic");
  chat.removeTopic(topicIn(chat, params).id);
  return true;
}

export function closeForumTopic(world: World, params: Params): true {
  const chat = forumIn(world, params);
  const topic = topicIn(chat, params);
  if (!topic.byBot && !world.may(chat, "can_manage_topics")) throw badRequest("not enough rights to close the topic");
  topic.isClosed = true;
  return true;
}

/**
 * Where a message goes: a topic's id, or undefined for the chat itself. The General topic cannot be named, and a topic
 * that is gone is refused, or in a private chat passed over where the world is set so.
 */
export function targetOf(world: World, chat: ChatRecord, params: Params): number | undefined {
  const threadId = params.number("message_thread_id");
  if (threadId === undefined) return undefined;
  const topic = world.hasTopics(chat) ? chat.topics.get(threadId) : undefined;
  if (topic === undefined) {
    if (chat.type === "private" && world.losesDeadTopics) return undefined;
    throw badRequest("message thread not found");
  }
  if (topic.isClosed && !world.may(chat, "can_manage_topics")) throw badRequest("TOPIC_CLOSED");
  return topic.id;
}

function forumIn(world: World, params: Params): ChatRecord {
  const chat = world.chat(params.chatId());
  world.checkMember(chat);
  if (!world.hasTopics(chat)) throw badRequest("the chat is not a forum");
  return chat;
}

function topicIn(chat: ChatRecord, params: Params): Topic {
  const topic = chat.topics.get(params.number("message_thread_id") ?? 0);
  if (topic === undefined) throw badRequest("TOPIC_ID_INVALID");
  return topic;
}

/** Who the bot is ("getMe"). */
export function getMe(world: World): unknown {
  return {
    ...BOT,
    can_join_groups: true,
    can_read_all_group_messages: world.readsAllGroupMessages,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: world.hasTopicsInPrivate,
    allows_users_to_create_topics: true,
  };
}
