import type { Attachment, InboundMessage, Quote, Reference, Sender } from "@hermes/core";
import { type RangeMark, rangesToMarkdown } from "@hermes/core/markdown";
import type { Message, MessageEntity, MessageOrigin, PhotoSize, Update, UserFromGetMe } from "grammy/types";
import { type Bot, toApiSignal } from "./bot-api.ts";
import type { ChatIds } from "./chat-ids.ts";
import { toCommandText } from "./commands.ts";
import { toPlatformError, unavailable } from "./errors.ts";
import { itemLines, itemsOf, textFor, unreadableIn } from "./kinds.ts";
import { conversationIn, nameOf, topicOf } from "./source.ts";

const QUOTES: ReadonlySet<MessageEntity["type"]> = new Set(["blockquote", "expandable_blockquote"]);

/** What a person wrote; null for what is no message of another: service messages, the bot's own, those to other bots. */
export async function decode(update: Update, bot: Bot): Promise<InboundMessage | null> {
  const message = update.message ?? update.edited_message;
  if (message === undefined || (await noteMigration(message, bot.chatIds))) return null;
  const { chat, from } = message;
  if (from === undefined || from.id === bot.me.id) return null;
  // Posts of a channel that Telegram copies into its discussion group.
  if (message.is_automatic_forward) return null;

  const source = foreignSourceOf(message);
  const isEdit = update.edited_message !== undefined;
  const written = source ? "" : textOf(message, bot);
  // What was edited to a command to another bot is nothing to this one any more.
  if (written === null && !isEdit) return null;
  const quote = source && quoteOf(source, wordsOf(message));
  const attachments = written === null ? [] : attachmentsOf(message, bot);
  const items = source || written === null ? [] : itemsOf(message);
  const unreadable = unreadableIn(message);
  const isEmpty = !written && !quote?.text.trim() && attachments.length === 0 && items.length === 0;
  if (isEmpty && unreadable === undefined && !isEdit) return null;
  const refersTo = referenceOf(message, bot);
  const chatName = chat.title ?? chat.first_name;
  return {
    conversation: conversationIn(
      { id: String(chat.id), isPrivate: chat.type === "private" },
      topicOf(message),
      bot.options.account,
    ),
    messageId: bot.chatIds.messageId(String(chat.id), message.message_id),
    sender: senderOf(message),
    text: written ?? "",
    sentAt: message.date * 1000,
    ...(isEdit ? { isEdit, quotes: [] } : {}),
    ...(isEdit || attachments.length > 0 ? { attachments } : {}),
    ...(quote === null ? {} : { quotes: [quote] }),
    ...(refersTo === null ? {} : { refersTo }),
    ...(isEdit || items.length > 0 ? { items } : {}),
    ...(isEmpty && unreadable !== undefined ? { unreadable } : {}),
    ...(isAddressed(message, bot.me) ? { isAddressed: true } : {}),
    ...(chatName === undefined ? {} : { chatName }),
  };
}

/** A group that becomes a supergroup gets another id, and says so on both sides ("Message"). */
async function noteMigration(message: Message, chatIds: ChatIds): Promise<boolean> {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = message;
  if (to !== undefined) await chatIds.note(String(chat.id), String(to));
  if (from !== undefined) await chatIds.note(String(from), String(chat.id));
  return to !== undefined || from !== undefined;
}

/** Whoever writes in the name of a chat (an anonymous administrator, a channel) is known by that chat's id. */
function senderOf({ from, sender_chat: chat }: Message): Sender {
  if (chat) return { id: String(chat.id), name: chat.title ?? String(chat.id) };
  if (from === undefined) return { id: "" };
  return { id: String(from.id), name: nameOf(from), isBot: from.is_bot };
}

/** Who wrote something, and where. */
type Source = Pick<Reference, "writer" | "origin">;

/**
 * Who wrote the words of a message that are not its sender's: it was forwarded, or a bot wrote it for its sender
 * ("inline mode"). Null for all others.
 */
function foreignSourceOf({ forward_origin: origin, via_bot: bot }: Message): Source | null {
  if (origin) return sourceOf(origin);
  return bot ? { writer: { name: nameOf(bot) } } : null;
}

/** "MessageOrigin": a person may hide behind a name, and a post of a channel is signed only where the channel wants it. */
function sourceOf(origin: MessageOrigin): Source {
  switch (origin.type) {
    case "user":
      return { writer: { name: nameOf(origin.sender_user), id: String(origin.sender_user.id) } };
    case "hidden_user":
      return { writer: { name: origin.sender_user_name } };
    case "chat":
      return signed(origin.sender_chat, origin.author_signature);
    case "channel":
      return signed(origin.chat, origin.author_signature);
  }
}

function signed({ title, id }: { readonly title?: string; readonly id: number }, name: string | undefined): Source {
  return { origin: title ?? String(id), ...(name === undefined ? {} : { writer: { name } }) };
}

/** Somebody else's words in a message, which may have none but a file. */
function quoteOf({ writer, origin }: Source, text: string): Quote {
  return { kind: "forward", text, writer: writer?.name, writerId: writer?.id, origin };
}

/** What a message replies to: a message of the chat, or one of another chat, of which only what is chosen has words. */
function referenceOf(message: Message, bot: Bot): Reference | null {
  const { reply_to_message: replied, external_reply: external, quote, chat } = message;
  const part = quote ? toMarkdown(quote.text, quote.entities ?? []) : undefined;
  const isPart = quote?.is_manual ? { isPart: true } : {};
  if (external) {
    const words = [part, textFor(external), itemLines(external)].filter(Boolean).join("\n");
    return { text: words, ...sourceOf(external.origin), ...isPart };
  }
  // In a topic everything counts as a reply to the message that opened it.
  if (replied === undefined || replied.forum_topic_created !== undefined) return null;
  return {
    messageId: bot.chatIds.messageId(String(chat.id), replied.message_id),
    text: quote?.is_manual ? part : wordsOf(replied),
    ...(replied.from?.id === bot.me.id ? { isOwn: true } : {}),
    ...(foreignSourceOf(replied) ?? { writer: senderOf(replied) }),
    ...isPart,
  };
}

/** Null for a command to another bot. */
function textOf(message: Message, { me, commands }: Bot): string | null {
  const text = message.text ?? message.caption ?? textFor(message);
  const entities = message.entities ?? message.caption_entities ?? [];
  // What is marked as a quote is mostly somebody else's.
  const isQuote = entities.some(({ type, offset }) => offset === 0 && QUOTES.has(type));
  const command = entities.find(({ type, offset }) => type === "bot_command" && offset === 0 && !isQuote);
  if (command) {
    const [word = "", addressee] = text.slice(0, command.length).split("@");
    if (addressee !== undefined && !isName(addressee, me)) return null;
    return toCommandText(word, text.slice(command.length), commands);
  }
  return withoutMention(text, entities, me);
}

function wordsOf(message: Message): string {
  const text = message.text ?? message.caption ?? textFor(message);
  const words = toMarkdown(text, message.entities ?? message.caption_entities ?? []);
  return [words, itemLines(message)].filter(Boolean).join("\n");
}

/** A mention of the bot at the beginning only says whom the message is for. */
function withoutMention(text: string, entities: readonly MessageEntity[], me: UserFromGetMe): string {
  const [first, ...rest] = entities;
  if (first?.offset !== 0 || !isMention(text, first, me)) return toMarkdown(text, entities);
  const skipped = text.length - text.slice(first.length).trimStart().length;
  return toMarkdown(
    text.slice(skipped),
    rest.map((entity) => ({ ...entity, offset: entity.offset - skipped })),
  );
}

function isAddressed(message: Message, me: UserFromGetMe): boolean {
  if (foreignSourceOf(message)) return false;
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  if (entities.some((entity) => isMention(text, entity, me) || isCommand(text, entity, me))) return true;
  const replied = message.reply_to_message;
  // In a topic everything counts as a reply to the message that opened it, which may be the bot's.
  return replied?.from?.id === me.id && replied.forum_topic_created === undefined;
}

function isMention(text: string, entity: MessageEntity, me: UserFromGetMe): boolean {
  if (entity.type === "text_mention") return entity.user.id === me.id;
  return entity.type === "mention" && isName(text.slice(entity.offset + 1, entity.offset + entity.length), me);
}

function isCommand(text: string, { type, offset, length }: MessageEntity, me: UserFromGetMe): boolean {
  if (type !== "bot_command") return false;
  const [, addressee] = text.slice(offset, offset + length).split("@");
  return addressee === undefined ? offset === 0 : isName(addressee, me);
}

function isName(name: string, { username }: UserFromGetMe): boolean {
  return name.toLowerCase() === username.toLowerCase();
}

/** What a person wrote, with Telegram's formatting as Markdown. */
export function toMarkdown(text: string, entities: readonly MessageEntity[]): string {
  const ranges = entities.flatMap((entity) => {
    const style = markOf(entity);
    return style === null ? [] : [{ start: entity.offset, length: entity.length, style }];
  });
  return rangesToMarkdown(text, ranges);
}

function markOf(entity: MessageEntity): RangeMark | null {
  switch (entity.type) {
    case "bold":
      return "strong";
    case "italic":
      return "emphasis";
    case "strikethrough":
      return "delete";
    case "code":
      return "code";
    case "pre":
      return { codeBlock: entity.language };
    case "text_link":
      return { link: entity.url };
    case "blockquote":
    case "expandable_blockquote":
      return "quote";
    default:
      return null;
  }
}

interface NamedFile extends Attachment {
  readonly id: string;
}

interface WireFile {
  readonly file_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

function attachmentsOf(message: Message, bot: Bot): Attachment[] {
  return filesOf(message).map(({ id, ...named }) => ({
    ...named,
    largest: LARGEST_DOWNLOAD,
    download: ({ signal }) => download(bot, id, signal),
  }));
}

/** "getFile". The address of a file has the token in it, so no error of it is passed on. */
async function download(bot: Bot, fileId: string, signal: AbortSignal): Promise<Response> {
  const { token, apiRoot } = bot.options;
  try {
    const { file_path: path } = await bot.api.getFile(fileId, toApiSignal(signal));
    if (path === undefined) throw unavailable("it does not say where a file lies");
    return await fetch(`${apiRoot}/file/bot${token}/${path}`, { redirect: "manual", signal });
  } catch (error) {
    throw toPlatformError(error);
  }
}

function filesOf(message: Message): NamedFile[] {
  const { document, photo, audio, video, voice, video_note: videoNote, animation } = message;
  const named = (file: WireFile | undefined, name: string, mediaType: string): NamedFile[] =>
    file
      ? [
          {
            id: file.file_id,
            name: file.file_name ?? name,
            mediaType: file.mime_type ?? mediaType,
            size: file.file_size ?? 0,
          },
        ]
      : [];
  return [
    // An animation comes as a document, too.
    ...named(animation ? undefined : document, "file", "application/octet-stream"),
    ...named(animation, "animation.mp4", "video/mp4"),
    ...named(largestOf(photo), "photo.jpg", "image/jpeg"),
    ...named(audio, "audio.mp3", "audio/mpeg"),
    ...named(video, "video.mp4", "video/mp4"),
    ...named(voice, "voice.ogg", "audio/ogg"),
    ...named(videoNote, "video-note.mp4", "video/mp4"),
  ];
}

/** The largest file that a bot can download ("getFile"), in bytes. */
const LARGEST_DOWNLOAD = 20 * 1024 * 1024;

/** The largest size of a photo that can be downloaded. */
function largestOf(photo: readonly PhotoSize[] = []): PhotoSize | undefined {
  const sizes = photo.filter(({ file_size: size = 0 }) => size <= LARGEST_DOWNLOAD);
  return sizes.toSorted((a, b) => a.width * a.height - b.width * b.height).at(-1) ?? photo.at(-1);
}
