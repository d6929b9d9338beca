import type { Clock, Conversation, OutboundFile, Piece, SendOptions, SendReceipt } from "@hermes/core";
import { InputFile } from "grammy";
import type { InlineKeyboardMarkup, Message } from "grammy/types";
import { type Bot, inChat, toApiSignal } from "./bot-api.ts";
import {
  isDeleted,
  isMarkupRefusal,
  isNoPhoto,
  isUnchanged,
  messageUnknown,
  threadGone,
  toPlatformError,
} from "./errors.ts";
import type { Entity } from "./format.ts";
import { linkTo } from "./source.ts";

/** Sends, changes, and shows that something is being written. */
export class Outbound {
  readonly #bot: Bot;
  readonly #clock: Clock;

  constructor(bot: Bot, clock: Clock) {
    this.#bot = bot;
    this.#clock = clock;
  }

  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const post = (chat: number | string) => this.#post(chat, to, piece, options);
    const message = await inChat(this.#bot, to.chatId, post, { mayBeDone: true });
    await this.#checkThread(to, message);
    return this.#receiptOf(message);
  }

  #post(chat: number | string, to: Conversation, piece: Piece, { content, signal }: SendOptions): Promise<Message> {
    const { api } = this.#bot;
    const { file, text } = piece;
    const thread = threadOf(to);
    if (file && content) {
      const options = { ...thread, ...(text === "" ? {} : { caption: text }) };
      const document = () => api.sendDocument(chat, toInputFile(content, file), options, toApiSignal(signal));
      if (!isPhoto(file)) return document();
      const photo = api.sendPhoto(chat, toInputFile(content, file), options, toApiSignal(signal));
      return photo.catch((error: unknown) => {
        if (!isNoPhoto(error)) throw error;
        return document();
      });
    }
    return this.#formatted(piece, (formatting) =>
      api.sendMessage(chat, text, { ...thread, ...formatting }, toApiSignal(signal)),
    );
  }

  async edit(
    at: Conversation,
    messageId: string,
    { text, ...piece }: Piece,
    signal: AbortSignal,
  ): Promise<SendReceipt> {
    const { api, chatIds } = this.#bot;
    const change = async (chat: number | string) => {
      const number = chatIds.numberIn(String(chat), messageId);
      // Another message has that number by now, and it would be overwritten.
      if (number === null) throw messageUnknown("it was written before the group got another id");
      const edited = await this.#formatted(piece, (formatting) =>
        api.editMessageText(chat, number, text, formatting, toApiSignal(signal)),
      ).catch((error: unknown) => {
        if (isUnchanged(error)) return true as const;
        throw error;
      });
      return { edited, number };
    };
    const { edited, number } = await inChat(this.#bot, at.chatId, change, { mayBeDone: true });
    if (edited !== true) return this.#receiptOf(edited);
    return { messageId, link: linkTo(chatIds.current(at.chatId), at.threadId, number), sentAt: this.#clock.now() };
  }

  #receiptOf({ chat, message_thread_id: threadId, message_id: number, is_topic_message: isTopic, date }: Message) {
    return {
      messageId: this.#bot.chatIds.messageId(String(chat.id), number),
      link: linkTo(String(chat.id), isTopic ? threadId : undefined, number),
      sentAt: date * 1000,
    };
  }

  /** One that is deleted already is fine. */
  async delete(chatId: string, messageId: string, signal: AbortSignal): Promise<void> {
    const { api, chatIds } = this.#bot;
    await inChat(this.#bot, chatId, async (chat) => {
      const number = chatIds.numberIn(String(chat), messageId);
      if (number === null) return;
      await api.deleteMessage(chat, number, toApiSignal(signal)).catch((error: unknown) => {
        if (!isDeleted(error)) throw error;
      });
    });
  }

  async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    const { api } = this.#bot;
    const thread = threadOf(at);
    await inChat(this.#bot, at.chatId, (chat) => api.sendChatAction(chat, "typing", thread, toApiSignal(signal)));
  }

  /**
   * Sends with the formatting; where Telegram refuses that, once more as plain text. Buttons stand below either, and an
   * edit without any takes away those that are there ("editMessageText").
   */
  async #formatted<T>({ extra = {} }: Pick<Piece, "extra">, send: (formatting: Formatting) => Promise<T>): Promise<T> {
    const previews = this.#bot.options.linkPreviews ? {} : { link_preview_options: { is_disabled: true } };
    // A piece comes back from Hermes as JSON that it made of what `render` returned.
    const { entities, ...keyboard }: Formatting = extra;
    const plain = { ...previews, ...keyboard };
    if (!entities) return send(plain);
    try {
      return await send({ ...plain, entities });
    } catch (error) {
      if (!isMarkupRefusal(error)) throw error;
      this.#bot.logger.warn(
        { reason: toPlatformError(error).message },
        "formatting was refused; the text goes out plain",
      );
      return send(plain);
    }
  }

  /**
   * A message to a topic that is gone is refused, but in private chats it has also landed in the chat itself without a
   * word. There it is taken back: it goes where the session goes on.
   */
  async #checkThread(to: Conversation, message: Message): Promise<void> {
    if (to.threadId === undefined || String(message.message_thread_id) === to.threadId) return;
    await this.#bot.api.deleteMessage(message.chat.id, message.message_id).catch((error: unknown) => {
      this.#bot.logger.warn({ reason: toPlatformError(error).message }, "a stray message could not be taken back");
    });
    throw threadGone();
  }
}

interface Formatting {
  readonly entities?: Entity[];
  readonly link_preview_options?: { readonly is_disabled: boolean };
  readonly reply_markup?: InlineKeyboardMarkup;
}

/** grammY writes the name into a header as it is: unquoted, one with a space or a semicolon would be cut there. */
function toInputFile(content: Uint8Array, { name }: OutboundFile): InputFile {
  return new InputFile(content, `"${name.replaceAll(/["\\\p{Cc}]/gu, "_")}"`);
}

/** The largest photo, in bytes ("sendPhoto"). */
const LARGEST_PHOTO = 10 * 1024 ** 2;

/** A moving or a larger picture stays as it is only as a document. */
function isPhoto({ mediaType, size }: OutboundFile): boolean {
  return (mediaType === "image/png" || mediaType === "image/jpeg") && size <= LARGEST_PHOTO;
}

function threadOf({ threadId }: Conversation): { message_thread_id?: number } {
  return threadId === undefined ? {} : { message_thread_id: Number(threadId) };
}
