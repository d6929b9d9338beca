import type { Clock } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import { badRequest, forbidden, Refusal } from "./refusal.ts";
import type { WireChat, WireEntity, WireKeyboard, WireMessage, WireUser } from "./wire.ts";

export const BOT: WireUser = {
  id: 110201543,
  is_bot: true,
  first_name: "Hermes",
  username: "hermes_emulated_bot",
};

/** The colour of a new topic's icon, blue. */
export const ICON_COLOR = 7_322_096;

/** What the bot may do as an administrator ("ChatMemberAdministrator"), and whether it may write at all. */
export type BotRight = "can_manage_topics" | "can_delete_messages" | "can_send_messages";

export type BotStatus = "administrator" | "member" | "left" | "kicked";

export interface Topic {
  /** The id of the service message that began it. */
  readonly id: number;
  readonly name: string;
  readonly byBot: boolean;
  isClosed: boolean;
}

export interface StoredMessage {
  readonly id: number;
  readonly from: WireUser;
  readonly senderChat?: WireChat;
  /** Seconds since 1970. */
  readonly date: number;
  readonly topicId: number | undefined;
  readonly replyTo: number | undefined;
  text: string;
  entities: readonly WireEntity[];
  keyboard?: WireKeyboard;
  raw: unknown;
  isEdited: boolean;
  readonly fileNames: readonly string[];
  /** What the bot uploaded. */
  readonly files?: readonly EmulatedFile[];
}

/** A chat as the platform holds it. */
export class ChatRecord {
  readonly id: number;
  readonly name: string;
  readonly type: "private" | "group" | "supergroup" | "channel";
  isForum: boolean;
  botStatus: BotStatus;
  /** Whether those who are no administrators may write in a group ("ChatPermissions"). */
  mayMembersWrite = true;
  readonly rights = new Set<BotRight>(["can_manage_topics", "can_delete_messages", "can_send_messages"]);
  readonly topics = new Map<number, Topic>();
  readonly messages: StoredMessage[] = [];
  migratedTo: number | undefined;
  /** 1 is the General topic of a forum. */
  #nextMessageId = 2;

  constructor(chat: Pick<ChatRecord, "id" | "name" | "type"> & { isForum?: boolean; botStatus?: BotStatus }) {
    this.id = chat.id;
    this.name = chat.name;
    this.type = chat.type;
    this.isForum = chat.isForum ?? false;
    this.botStatus = chat.botStatus ?? "member";
  }

  get wire(): WireChat {
    const { id, type, name } = this;
    if (type === "private") return { id, type, first_name: name };
    return { id, type, title: name, ...(this.isForum ? { is_forum: true } : {}) };
  }

  newMessageId(): number {
    return this.#nextMessageId++;
  }

  message(id: number | undefined): StoredMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  /** The message that a chain of replies began with. */
  rootOf(message: StoredMessage): number {
    const parent = this.message(message.replyTo);
    return parent ? this.rootOf(parent) : message.id;
  }

  removeTopic(id: number): void {
    this.topics.delete(id);
    const left = this.messages.filter((message) => message.topicId !== id);
    this.messages.splice(0, this.messages.length, ...left);
  }
}

/** Everything the platform knows. */
export class World {
  readonly chats = new Map<number, ChatRecord>();
  readonly files = new Map<string, { readonly path: string; readonly content: Buffer }>();
  commands: readonly unknown[] = [];
  /** Presses that the bot has not acknowledged; the app of whoever pressed shows that it waits. */
  readonly waitingPresses = new Set<string>();
  nextQueryId = 1;
  /** Whether messages are too old for a press to tell of their content ("InaccessibleMessage"). */
  hidesContent = false;
  webhook = "";
  /** Threaded Mode: whether private chats with the bot have topics. */
  hasTopicsInPrivate = true;
  /** Privacy mode is off: the bot sees everything that is written in its groups. */
  readsAllGroupMessages = true;
  /** Messages to a topic of a private chat that is gone go to the chat itself, as they once did. */
  losesDeadTopics = false;

  readonly #clock: Clock;

  constructor(chats: readonly ChatRecord[], clock: Clock) {
    this.#clock = clock;
    for (const chat of chats) this.chats.set(chat.id, chat);
  }

  /** Seconds since 1970. */
  now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }

  /** The chat, as the bot may write in it. Throws the platform's refusals. */
  chat(id: number | undefined): ChatRecord {
    const chat = id === undefined ? undefined : this.chats.get(id);
    if (chat === undefined) throw badRequest("chat not found");
    if (chat.migratedTo !== undefined) {
      throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    return chat;
  }

  /** Throws unless the bot is in the chat. */
  checkMember(chat: ChatRecord): void {
    const kind = chat.type === "private" ? "user" : `${chat.type} chat`;
    if (chat.type === "private" && chat.botStatus === "kicked") throw forbidden("bot was blocked by the user");
    if (chat.botStatus === "kicked") throw forbidden(`bot was kicked from the ${kind}`);
    if (chat.botStatus === "left") throw forbidden(`bot is not a member of the ${kind}`);
  }

  hasTopics(chat: ChatRecord): boolean {
    return chat.type === "private" ? this.hasTopicsInPrivate : chat.isForum;
  }

  /** Whether the bot has a right that only administrators have. */
  may(chat: ChatRecord, right: BotRight): boolean {
    return chat.type === "private" || (chat.botStatus === "administrator" && chat.rights.has(right));
  }

  /** A message as the API shows it. */
  wire(chat: ChatRecord, message: StoredMessage): WireMessage {
    const { id, from, senderChat, date, topicId, text, entities, replyTo, keyboard = [] } = message;
    const replied = chat.message(replyTo);
    return {
      message_id: id,
      from,
      ...(senderChat ? { sender_chat: senderChat } : {}),
      date,
      chat: chat.wire,
      ...this.#threadOf(chat, message),
      ...(replied ? { reply_to_message: this.wire(chat, { ...replied, replyTo: undefined }) } : {}),
      ...(replied === undefined && topicId !== undefined ? this.#beginning(chat, topicId) : {}),
      ...(text === "" ? {} : { text, ...(entities.length > 0 ? { entities } : {}) }),
      ...(keyboard.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {}),
    };
  }

  /**
   * A topic is told by `is_topic_message`. In other supergroups, and in the General topic, a reply carries the id of
   * the message that the replies began with, which is no topic.
   */
  #threadOf(chat: ChatRecord, message: StoredMessage): Pick<WireMessage, "message_thread_id" | "is_topic_message"> {
    if (message.topicId !== undefined) {
      const isTopic = this.hasTopics(chat);
      return { message_thread_id: message.topicId, ...(isTopic ? { is_topic_message: true } : {}) };
    }
    if (chat.type !== "supergroup" || message.replyTo === undefined) return {};
    return { message_thread_id: chat.rootOf(message) };
  }

  /** What is written in a topic of a group counts as a reply to the service message that began the topic. */
  #beginning(chat: ChatRecord, topicId: number): Pick<WireMessage, "reply_to_message"> {
    const topic = chat.topics.get(topicId);
    if (topic === undefined || chat.type === "private") return {};
    return {
      reply_to_message: {
        message_id: topic.id,
        message_thread_id: topic.id,
        is_topic_message: true,
        from: topic.byBot ? BOT : { id: 1087968824, is_bot: true, first_name: "Group" },
        date: 0,
        chat: chat.wire,
        forum_topic_created: { name: topic.name, icon_color: ICON_COLOR },
      },
    };
  }
}
