import { describeItem, type InboundMessage, PlatformError, type Reference } from "@hermes/core";
import { attachmentsOf, captionOf, isFile } from "./attachments.ts";
import type { Bot } from "./bot.ts";
import { htmlToMarkdown } from "./inbound-html.ts";
import { itemsOf, OTHER_WORDS } from "./references.ts";
import { conversationIn } from "./source.ts";
import { type Content, isRedacted, type MatrixEvent, objectOf, relationOf, stringOf, threadOf } from "./wire.ts";

/** What Hermes takes for a text: everything else in `m.room.message` is for apps among themselves. */
const SAID = new Set(["m.text", "m.notice", "m.emote"]);

/** An event that can be read: as it came, and with what it says, decrypted where it was encrypted. */
export interface ReadableEvent {
  readonly event: MatrixEvent;
  readonly type: string;
  readonly content: Content;
}

/** What another wrote; null for what is no message, and for one that says nothing and never did. */
export async function decode(
  roomId: string,
  { event, type, content }: ReadableEvent,
  bot: Bot,
): Promise<InboundMessage | null> {
  const { rooms, options } = bot;
  if (type !== "m.room.message" && !OTHER_WORDS.has(type)) return null;
  const edited = await editedBy(roomId, event, content, bot);
  if (edited === null) return null;
  const { content: said, isEdit } = edited;
  const items = itemsOf(type, said);
  const isUnreadable = type === "m.sticker";
  const isText = SAID.has(String(said.msgtype)) || isFile(said);
  if (!isText && items.length === 0 && !isUnreadable && !isEdit) return null;

  const forwarded = forwardIn(said);
  const isForward = forwarded !== null;
  // The id, by the word of who passes it on: names are anybody's.
  const writer = stringOf(forwarded?.sender);
  const shown = !isText || items.length > 0 ? "" : textOf(said, edited.replyTo !== undefined, bot, isForward);
  // What is passed on is a quotation, whatever it is.
  const words = isForward ? [shown, ...items.map((item) => `(${describeItem(item)})`)].join("\n").trim() : shown;
  const text = isForward ? "" : words;
  const attachments = attachmentsOf(said, bot);
  const isEmpty = words === "" && attachments.length === 0 && items.length === 0;
  if (isEmpty && !isUnreadable && !isEdit) return null;
  const replied = edited.replyTo === undefined ? null : await lookUp(bot, roomId, edited.replyTo);
  const refersTo = edited.replyTo === undefined ? null : await referenceTo(roomId, edited.replyTo, replied, bot);
  const isAddressed =
    (!isForward && isMentioned(said, bot)) || isKnownCommand(text, bot) || replied?.sender === bot.userId;
  const chatName = rooms.get(roomId)?.name;
  const name = await bot.nameOf(event.sender);
  return {
    conversation: conversationIn(
      { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) },
      edited.threadId,
      options.account,
    ),
    messageId: edited.id,
    sender: {
      id: event.sender,
      ...(name === undefined ? {} : { name }),
      // "m.notice": what is sent by programs, and must not be answered by them.
      ...(said.msgtype === "m.notice" ? { isBot: true } : {}),
    },
    text,
    sentAt: event.origin_server_ts,
    ...(isEdit ? { isEdit, quotes: [], items: [] } : {}),
    ...(isEdit || attachments.length > 0 ? { attachments } : {}),
    ...(isForward ? { quotes: [{ kind: "forward", text: words, ...(writer === undefined ? {} : { writer }) }] } : {}),
    ...(refersTo === null ? {} : { refersTo }),
    ...(items.length > 0 && !isForward ? { items } : {}),
    ...(isUnreadable ? { unreadable: "sticker" } : {}),
    ...(isAddressed ? { isAddressed: true } : {}),
    ...(chatName === undefined ? {} : { chatName }),
    // Every thread hangs on a message of the room.
    ...(edited.threadId === undefined ? {} : { isBranch: true }),
  };
}

/**
 * What an app says of a message that was passed on; null where it was not. Few say it, and they do so under this name or
 * a preliminary one (MSC 2723).
 */
function forwardIn(content: Content): Content | null {
  const key = Object.keys(content).find((name) => /(?:^m|\bmsc2723)\.forward(?:ed)?$/.test(name));
  return key === undefined ? null : objectOf(content[key]);
}

/**
 * A person's message as it is now, in its latest version; null where it was redacted, undefined where it cannot be read or
 * is not there for the bot.
 */
export async function readNow(
  roomId: string,
  messageId: string,
  bot: Bot,
  signal: AbortSignal,
): Promise<InboundMessage | null | undefined> {
  const original = await bot.api.event(roomId, messageId, signal);
  if (original === null) return undefined;
  if (isRedacted(original)) return null;
  const edit = stringOf(objectOf(objectOf(original.unsigned?.["m.relations"])["m.replace"]).event_id);
  const latest = edit === undefined ? original : ((await bot.api.event(roomId, edit, signal)) ?? original);
  // An edit in the open says nothing about what was encrypted.
  const said = latest.type === original.type ? latest : original;
  if (said.type !== "m.room.encrypted") {
    return (await decode(roomId, { event: said, type: said.type, content: said.content }, bot)) ?? undefined;
  }
  const clear = await bot.crypto?.decrypt(roomId, said);
  return clear?.isClear ? ((await decode(roomId, { event: said, ...clear }, bot)) ?? undefined) : undefined;
}

interface Edited {
  readonly id: string;
  readonly content: Content;
  readonly threadId: string | undefined;
  /** The event that a person answered; not the one under which clients without threads show a message. */
  readonly replyTo: string | undefined;
  readonly isEdit: boolean;
}

/**
 * The message that an event is, or that it changes ("Event replacements"): an edit does not say in which thread its
 * message is. Null for an edit of somebody else's message, which counts for nothing.
 */
async function editedBy(roomId: string, event: MatrixEvent, content: Content, bot: Bot): Promise<Edited | null> {
  const relation = relationOf(event.content);
  if (relation.kind !== "m.replace" || relation.eventId === undefined) {
    const { isFallingBack, replyTo } = relation;
    return {
      id: event.event_id,
      content,
      threadId: threadOf(event.content),
      replyTo: isFallingBack ? undefined : replyTo,
      isEdit: false,
    };
  }
  const original = await lookUp(bot, roomId, relation.eventId);
  if (original === null || original.sender !== event.sender || isRedacted(original)) return null;
  const { "m.new_content": changed } = content;
  // "Validity of replacement events": one without it changes nothing.
  if (typeof changed !== "object" || changed === null) return null;
  return {
    id: original.event_id,
    content: objectOf(changed),
    threadId: threadOf(original.content),
    replyTo: undefined,
    isEdit: true,
  };
}

function textOf(content: Content, isReply: boolean, bot: Bot, isForward: boolean): string {
  if (isFile(content)) return captionOf(content).trim();
  const html = content.format === "org.matrix.custom.html" ? stringOf(content.formatted_body) : undefined;
  const body = withoutName(withoutQuote(stringOf(content.body) ?? "", isReply), bot, isExplicit(content, bot.userId));
  const command = isForward ? null : toCommandText(body);
  if (command !== null) return command;
  const text = (html && fromHtml(html, bot)) ?? body.trim();
  return content.msgtype === "m.emote" && text !== "" ? `_${text}_` : text;
}

/**
 * A command as `/name argument`; null for other texts. Apps keep what begins with a slash for themselves, so on Matrix
 * commands of bots begin with `!`. A name that is no command is one that was mistyped.
 */
function toCommandText(text: string): string | null {
  const [, name, argument = ""] = /^!([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  return name === undefined ? null : `/${name.toLowerCase()} ${argument.trim()}`.trim();
}

/** Other bots have commands, too: one that Hermes does not know is for it only where everything is. */
function isKnownCommand(text: string, { commands }: Bot): boolean {
  const [, word] = /^\/([a-z][\w-]*)(?=\s|$)/.exec(text) ?? [];
  return commands.some(({ name }) => name === word);
}

/** Null where it cannot be read: the plain text says the same. */
function fromHtml(html: string, bot: Bot): string | null {
  try {
    return htmlToMarkdown(html, bot);
  } catch {
    return null;
  }
}

/** Older apps quote in the body what a message answers ("Fallbacks for rich replies"). */
function withoutQuote(body: string, isReply: boolean): string {
  if (!isReply || !body.startsWith("> ")) return body;
  const lines = body.split("\n");
  const end = lines.findIndex((line) => !line.startsWith(">"));
  return end < 0 ? "" : lines.slice(lines[end] === "" ? end + 1 : end).join("\n");
}

/** The bot's name at the beginning only says whom a message is for. */
function withoutName(body: string, { userId, name }: Bot, isMention: boolean): string {
  const start = body.trimStart();
  for (const called of [userId, name]) {
    if (called === undefined || !start.startsWith(called)) continue;
    const rest = start.slice(called.length);
    const end = isMention || called === userId ? /^[:,]?(?:\s+|$)/ : /^[:,](?:\s+|$)/;
    if (end.test(rest)) return rest.replace(end, "");
  }
  return body;
}

/** "User and room mentions": who is meant stands in `m.mentions`; apps that do not know it only write the name. */
function isMentioned(content: Content, { userId, name }: Bot): boolean {
  if (content["m.mentions"] !== undefined) return isExplicit(content, userId);
  const body = stringOf(content.body) ?? "";
  const html = stringOf(content.formatted_body) ?? "";
  if (body.includes(userId) || html.includes(`https://matrix.to/#/${userId}`)) return true;
  const words = wordsIn(name ?? "");
  return words !== "" && wordsIn(body).includes(words);
}

function isExplicit(content: Content, userId: string): boolean {
  const { user_ids: ids } = objectOf(content["m.mentions"]);
  return Array.isArray(ids) && ids.includes(userId);
}

/** The words of a text, each between spaces of its own. */
function wordsIn(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return words.map((word) => ` ${word} `).join("");
}

/** The message that another one answers: as the server has it, decrypted where it can be; else by its id alone. */
async function referenceTo(
  roomId: string,
  messageId: string,
  replied: MatrixEvent | null,
  bot: Bot,
): Promise<Reference | null> {
  if (replied === null) return { messageId };
  if (isRedacted(replied)) return null;
  // An answer that grew says its end in edits; Hermes has kept the whole.
  if (replied.sender === bot.userId) return { messageId, isOwn: true };
  const name = await bot.nameOf(replied.sender);
  const writer = { id: replied.sender, ...(name === undefined ? {} : { name }) };
  const said = await wordsOf(roomId, replied, bot);
  // Where all is encrypted, the server could put anything into somebody's mouth in the open.
  const isOpen = bot.rooms.get(roomId)?.encryption !== undefined && replied.type !== "m.room.encrypted";
  return {
    messageId,
    // Whose words they are that somebody passed on, nobody vouches for.
    ...(said?.isForward ? {} : { writer }),
    ...(said === null ? {} : { text: said.text }),
    ...(isOpen ? { isClaimed: true } : {}),
  };
}

/** What an event says, in its latest version where that is told; null where it cannot be read. */
async function wordsOf(
  roomId: string,
  event: MatrixEvent,
  bot: Bot,
): Promise<{ readonly text: string; readonly isForward: boolean } | null> {
  const isEncrypted = event.type === "m.room.encrypted";
  const clear = isEncrypted ? await bot.crypto?.decrypt(roomId, event) : { ...event, isClear: true };
  if (clear === undefined || !("content" in clear)) return null;
  const edit = objectOf(objectOf(event.unsigned?.["m.relations"])["m.replace"]);
  const latest = objectOf(objectOf(edit.content)["m.new_content"]);
  // An edit in the open says nothing about what was encrypted.
  const said = latest.msgtype === undefined || isEncrypted ? clear.content : latest;
  const isForward = forwardIn(said) !== null;
  const items = itemsOf(clear.type, said);
  const lines = items.map((item) => `(${describeItem(item)})`).join("\n");
  const text = lines || textOf(said, relationOf(event.content).replyTo !== undefined, bot, true);
  return { text, isForward };
}

/** An event that another one is about; null where there is none, or none that the bot may see: from before it came, say. */
async function lookUp({ api }: Bot, roomId: string, eventId: string): Promise<MatrixEvent | null> {
  try {
    const event = await api.event(roomId, eventId);
    // Not every server looks where an event stands, and what is said in another room is none of this one's business.
    return event === null || (event.room_id ?? roomId) === roomId ? event : null;
  } catch (error) {
    if (error instanceof PlatformError && error.code === "PLATFORM_FORBIDDEN") return null;
    throw error;
  }
}
