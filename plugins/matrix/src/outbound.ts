import { createHash } from "node:crypto";
import { type Conversation, type Piece, pictureIn, type SendOptions, type SendReceipt } from "@hermes/core";
import { storeFile } from "./attachments.ts";
import type { SignedIn } from "./bot.ts";
import { failAboutRoom, failMaybeDone, forbidden, notFound, threadGone } from "./errors.ts";
import { contentOf } from "./format.ts";
import { isKnownEncryption, type RoomEncryption } from "./rooms.ts";
import { linkTo } from "./source.ts";
import { type Content, isRedacted, objectOf, stringOf } from "./wire.ts";

/** How long others are shown that the bot is writing, in milliseconds. */
const TYPING_MS = 10_000;

/** What clients that do not know edits show of one, in UTF-16 units: an event holds the whole text only once. */
const LONGEST_FALLBACK = 200;

/** Sends, changes, and shows that something is being written. There is no other way out into a room. */
export class Outbound {
  readonly #bot: SignedIn;

  constructor(bot: SignedIn) {
    this.#bot = bot;
  }

  /** The same `key` gives the same transaction, and so one message however often it is sent. */
  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { key, signal } = options;
    const roomId = this.#bot.rooms.current(to.chatId);
    const relation = to.threadId === undefined ? {} : await this.#inThread(roomId, to.threadId, signal);
    const content = piece.file
      ? await this.#fileContent(piece, options, await this.isEncrypted(roomId))
      : contentOf(piece);
    return this.post(roomId, { ...content, ...relation }, transactionId("send", key), signal);
  }

  async edit(
    at: Conversation,
    messageId: string,
    piece: Piece,
    key: string,
    signal: AbortSignal,
  ): Promise<SendReceipt> {
    const roomId = this.#bot.rooms.current(at.chatId);
    const original = await this.#bot.api.event(roomId, messageId, signal);
    if (original === null || isRedacted(original)) {
      throw notFound("the message is not there any more", "It is sent as a new message.");
    }
    const content = contentOf(piece);
    const { formatted_body: _, format: __, ...fallback } = content;
    const edit = {
      ...fallback,
      body: `* ${piece.text.slice(0, LONGEST_FALLBACK).toWellFormed()}`,
      "m.new_content": content,
      "m.relates_to": { rel_type: "m.replace", event_id: messageId },
    };
    // An answer that grows is edited under one key; what it grows to is a message of its own to the server.
    const txnId = transactionId("edit", JSON.stringify([key, messageId, content]));
    const receipt = await this.post(roomId, edit, txnId, signal).catch(failMaybeDone);
    return { ...receipt, messageId, link: linkTo(roomId, messageId, this.#bot.userId) };
  }

  async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    const { api, rooms, userId } = this.#bot;
    await api.typing(rooms.current(at.chatId), userId, TYPING_MS, signal);
  }

  /** Sends a message's content, encrypted where the room is. */
  async post(roomId: string, content: Content, txnId: string, signal?: AbortSignal): Promise<SendReceipt> {
    const { api, clock, userId } = this.#bot;
    const encryption = await this.#encryptionOf(roomId);
    const sealed = encryption && (await this.#encrypt(roomId, encryption, content).catch(failAboutRoom));
    const type = sealed ? "m.room.encrypted" : "m.room.message";
    const eventId = await api.send(roomId, type, txnId, sealed ?? content, signal).catch(failAboutRoom);
    return { messageId: eventId, link: linkTo(roomId, eventId, userId), sentAt: clock.now() };
  }

  /** Throws where a room is encrypted and the bot cannot encrypt: plain text never goes there. */
  async isEncrypted(roomId: string): Promise<boolean> {
    return (await this.#encryptionOf(roomId)) !== null;
  }

  async #encryptionOf(roomId: string): Promise<RoomEncryption | null> {
    const { rooms, crypto, cryptoProblem } = this.#bot;
    const encryption = await rooms.encryptionOf(roomId).catch(failAboutRoom);
    if (encryption === null) return null;
    if (!isKnownEncryption(encryption)) {
      throw forbidden("the room is encrypted in a way that Hermes does not know", "Take another room.");
    }
    if (crypto === null) {
      const hint = "Mend that, or take a room that is not encrypted.";
      throw forbidden(`the room is encrypted, and Hermes cannot encrypt: ${cryptoProblem}`, hint);
    }
    return encryption;
  }

  async #encrypt(roomId: string, encryption: RoomEncryption, content: Content): Promise<Content> {
    const { rooms, crypto } = this.#bot;
    if (crypto === null) throw forbidden("Hermes cannot encrypt", "Take a room that is not encrypted.");
    const readers = await rooms.readersOf(roomId, encryption);
    return crypto.encrypt({ id: roomId, encryption, readers }, "m.room.message", content);
  }

  /**
   * The relation to a thread, and for clients without threads a reply to what was said there last ("Fallback for
   * unthreaded clients"). Throws PLATFORM_THREAD_GONE when the message that the thread hangs on was removed.
   */
  async #inThread(roomId: string, threadId: string, signal: AbortSignal): Promise<Content> {
    const root = await this.#bot.api.event(roomId, threadId, signal).catch(failAboutRoom);
    if (root === null || isRedacted(root)) throw threadGone();
    const { latest_event: latest } = objectOf(objectOf(objectOf(root.unsigned)["m.relations"])["m.thread"]);
    const replyTo = stringOf(objectOf(latest).event_id) ?? threadId;
    return {
      "m.relates_to": {
        rel_type: "m.thread",
        event_id: threadId,
        is_falling_back: true,
        "m.in_reply_to": { event_id: replyTo },
      },
    };
  }

  async #fileContent({ file, text }: Piece, { content }: SendOptions, isEncrypted: boolean): Promise<Content> {
    if (file === undefined || content === undefined) return {};
    const { name, mediaType } = file;
    const picture = pictureIn(content);
    const stored = await storeFile(this.#bot.api, { content, mediaType, name }, isEncrypted);
    return {
      msgtype: picture ? "m.image" : "m.file",
      body: text === "" ? name : text,
      filename: name,
      info: {
        mimetype: picture?.mediaType ?? mediaType,
        size: content.length,
        ...(picture ? { w: picture.width, h: picture.height } : {}),
      },
      "m.mentions": {},
      ...stored,
    };
  }
}

/** What the server tells a repeated call by ("Transaction identifiers"). Keys of Hermes may hold anything. */
export function transactionId(purpose: "send" | "edit" | "thread" | "redact", key: string): string {
  return `hermes-${purpose}-${createHash("sha256").update(key).digest("hex").slice(0, 40)}`;
}
