import { CannotEmulate, type EmulatedInbound } from "@hermes/emulator";
import type { WireChat, WireDocument, WireEntity, WireMessage, WireUser } from "./wire.ts";
import { BOT, type ChatRecord, type StoredMessage, type World } from "./world.ts";

/** What only Telegram has of a message that a person writes. */
export interface TelegramInbound extends EmulatedInbound {
  /** Formatting, beside what the client marks by itself (commands, mentions, addresses). */
  readonly entities?: readonly WireEntity[];
  /** Written in the name of a chat: a channel, or the group itself for an anonymous administrator. */
  readonly senderChat?: WireChat;
  /** The message as the API shows it gets these fields besides. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Whoever writes where nobody is named: the person of the private chat, or the first one of a group. */
export const FIRST_PERSON = { id: 1001, name: "Ada" };

/** Stores what a person writes, and returns it as the API shows it; null where the bot does not get to see it. */
export function write(
  world: World,
  inbound: TelegramInbound,
): { readonly id: number; readonly seen: WireMessage | null } {
  const chat = chatOf(world, inbound);
  if ((inbound.files ?? []).length > 1) {
    throw new CannotEmulate("a message on Telegram has one file; several at once are several messages");
  }
  const topicId = topicOf(chat, inbound);
  const previous = inbound.editOf === undefined ? undefined : chat.message(Number(inbound.editOf));
  if (inbound.editOf !== undefined && previous === undefined) throw new Error(`there is no message ${inbound.editOf}`);
  const { files = (previous?.raw as TelegramInbound | undefined)?.files } = inbound;
  if (previous && previous.fileNames.length > 0 && files?.length === 0) {
    throw new CannotEmulate("a file on Telegram can be replaced in its message, and not be taken out of it");
  }
  const text = inbound.mentions ? `@${BOT.username} ${inbound.text}`.trim() : inbound.text;
  const shift = text.length - inbound.text.length;
  const entities = [
    ...found(text),
    ...(inbound.entities ?? []).map((entity) => ({ ...entity, offset: entity.offset + shift })),
  ].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const message: StoredMessage = {
    id: previous?.id ?? chat.newMessageId(),
    from: inbound.isOwn ? BOT : personIn(chat, inbound),
    ...(inbound.senderChat ? { senderChat: inbound.senderChat } : {}),
    date: previous?.date ?? world.now(),
    topicId: previous?.topicId ?? topicId,
    replyTo: inbound.replyTo === undefined ? previous?.replyTo : Number(inbound.replyTo),
    text,
    entities,
    raw: { ...inbound, files },
    isEdited: previous !== undefined,
    fileNames: (files ?? []).map(({ name }) => name),
  };
  if (previous) Object.assign(previous, message);
  // What the bot sent is there already.
  else if (!inbound.isOwn) chat.messages.push(message);
  const wired = { ...withFiles(world, world.wire(chat, message), files), ...originOf(inbound), ...inbound.fields };
  const edited = previous ? { ...wired, edit_date: world.now() } : wired;
  return { id: message.id, seen: isSeen(world, chat, message) ? edited : null };
}

/** "MessageOriginHiddenUser": of many people only the name is told. */
function originOf({ forwarded }: TelegramInbound): Readonly<Record<string, unknown>> {
  if (forwarded === undefined) return {};
  return { forward_origin: { type: "hidden_user", sender_user_name: forwarded.from, date: 1 } };
}

function chatOf(world: World, { chatId }: TelegramInbound): ChatRecord {
  const chat = world.chats.get(Number(chatId));
  if (chat === undefined) throw new Error(`there is no chat ${chatId}`);
  return chat;
}

function topicOf(chat: ChatRecord, { threadId }: TelegramInbound): number | undefined {
  // The General topic is the chat itself.
  if (threadId === undefined || (threadId === "1" && chat.type === "supergroup")) return undefined;
  if (!chat.topics.has(Number(threadId))) throw new Error(`there is no topic ${threadId} in ${chat.id}`);
  return Number(threadId);
}

/** Who writes or presses something there. */
export function personIn(
  chat: ChatRecord,
  { isBot, userId, userName }: Pick<TelegramInbound, "isBot" | "userId" | "userName">,
): WireUser {
  const id = Number(userId ?? (chat.type === "private" ? chat.id : FIRST_PERSON.id));
  if (!Number.isSafeInteger(id)) throw new Error(`a person's id is a number, and ${userId} is not`);
  if (chat.type === "private" && id !== chat.id) {
    throw new CannotEmulate(`nobody but ${chat.name} (${chat.id}) is in that private chat; a group takes others`);
  }
  return {
    id,
    is_bot: isBot === true,
    first_name: userName ?? (id === FIRST_PERSON.id ? FIRST_PERSON.name : "Person"),
  };
}

/** What a client marks by itself in what is typed. */
function found(text: string): WireEntity[] {
  const kinds: [string, RegExp][] = [
    ["bot_command", /(?<![\w/@])\/[a-z0-9_]{1,32}(?:@\w{3,32})?/gi],
    ["mention", /(?<![\w/])@\w{4,32}/g],
    ["url", /https?:\/\/[^\s<>]+/g],
  ];
  return kinds.flatMap(([type, pattern]) =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ type, offset: index, length })),
  );
}

/** A message has one file; its text is the caption. */
function withFiles(world: World, message: WireMessage, files: EmulatedInbound["files"] = []): WireMessage {
  const [file] = files;
  if (file === undefined) return message;
  const id = `file-${message.chat.id}-${message.message_id}`;
  const content = Buffer.from(file.content);
  const { text, entities, ...rest } = message;
  const captioned = {
    ...rest,
    ...(text ? { caption: text } : {}),
    ...(entities ? { caption_entities: entities } : {}),
  };
  if (file.mediaType === "image/jpeg") return { ...captioned, photo: sizesOf(world, id, content) };
  world.files.set(id, { path: `documents/${id}`, content });
  const document: WireDocument = {
    file_id: id,
    file_unique_id: id,
    file_name: file.name,
    mime_type: file.mediaType,
    file_size: content.length,
  };
  return { ...captioned, document };
}

/** "PhotoSize": Telegram keeps a photo in several sizes, the smallest first, and gives it no name. */
function sizesOf(world: World, id: string, content: Buffer): readonly object[] {
  return [90, 320, 1280].map((width) => {
    const file_id = `${id}-${width}`;
    const isLargest = width === 1280;
    world.files.set(file_id, {
      path: `photos/${file_id}.jpg`,
      content: isLargest ? content : Buffer.from("thumbnail"),
    });
    return { file_id, file_unique_id: file_id, width, height: width, file_size: isLargest ? content.length : 9 };
  });
}

/**
 * With privacy mode on, the bot gets of a group only what is meant for it ("Privacy mode"), unless it is an
 * administrator.
 */
function isSeen(world: World, chat: ChatRecord, message: StoredMessage): boolean {
  if (chat.type === "private") return chat.botStatus !== "kicked";
  if (chat.botStatus === "left" || chat.botStatus === "kicked") return false;
  if (world.readsAllGroupMessages || chat.botStatus === "administrator") return true;
  const isCommand = message.entities.some(({ type }) => type === "bot_command");
  const isMention = message.text.includes(`@${BOT.username}`);
  return isCommand || isMention || chat.message(message.replyTo)?.from.id === BOT.id;
}
