import type { Clock, Conversation, Piece, SendOptions, SendReceipt } from "@hermes/core";
import { proto, type WASocket } from "@whiskeysockets/baileys";
import { notFound } from "../errors.ts";
import { isGroupId, isPhoneNumber } from "../ids.ts";
import type { People } from "../people.ts";
import { linkTo } from "../source.ts";
import type { Acknowledgements } from "./acknowledgements.ts";
import { toPlatformError } from "./errors.ts";
import { messageIdFor, type SentMessages } from "./sent-messages.ts";
import { uploadDocument } from "./upload.ts";

export interface OutboundParts {
  /** The open socket; throws a PlatformError when there is none. */
  readonly socket: () => WASocket;
  readonly socketUrl: string;
  readonly acknowledgements: Acknowledgements;
  readonly sent: SentMessages;
  readonly people: People;
  readonly clock: Clock;
}

/** Sends, changes, and shows that something is being written. */
export class Outbound {
  readonly #parts: OutboundParts;

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async send(to: Conversation, piece: Piece, { key, signal }: SendOptions): Promise<SendReceipt> {
    const messageId = messageIdFor(key);
    await this.#relay(to, messageId, () => this.#contentOf(piece), signal);
    return this.#receiptFor(to, messageId);
  }

  /** Throws PLATFORM_NOT_FOUND when the message is too old for that; it is sent as a new one then. */
  async edit(at: Conversation, messageId: string, { text }: Piece, { key, signal }: SendOptions): Promise<SendReceipt> {
    if (!this.#parts.sent.canBeChanged(messageId)) {
      throw notFound("the message cannot be changed any more", "It is sent as a new message.");
    }
    const change: proto.IMessage = {
      protocolMessage: {
        key: { remoteJid: await this.jidOf(at.chatId), fromMe: true, id: messageId },
        type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
        editedMessage: textMessage(text),
        timestampMs: this.#parts.clock.now(),
      },
    };
    // Each text is a change of its own; the same one again is the same.
    await this.#relay(at, messageIdFor(`${key} ${text}`), async () => change, signal, { edit: "1" });
    return this.#receiptFor(at, messageId);
  }

  async typing({ chatId }: Conversation): Promise<void> {
    const jid = await this.jidOf(chatId);
    await this.#parts.socket().sendPresenceUpdate("composing", jid).catch(rethrown);
  }

  /** How WhatsApp's server names a chat. */
  async jidOf(chatId: string): Promise<string> {
    if (isGroupId(chatId)) return chatId;
    const id = await this.#parts.people.addressOf(chatId, (one) => isPhoneNumber(one) || one.endsWith("@lid"));
    if (id !== null) return isPhoneNumber(id) ? `${id}@s.whatsapp.net` : id;
    throw notFound(
      `${chatId} is no address of WhatsApp`,
      "Write a number with its country code, or a group's id (…@g.us).",
    );
  }

  async #relay(
    to: Conversation,
    messageId: string,
    contentOf: () => Promise<proto.IMessage>,
    signal: AbortSignal,
    additionalAttributes: Record<string, string> = {},
  ): Promise<void> {
    const { acknowledgements, sent } = this.#parts;
    const socket = this.#parts.socket();
    const jid = await this.jidOf(to.chatId);
    try {
      const content = await contentOf();
      sent.note(messageId, content);
      const send = () => socket.relayMessage(jid, content, { messageId, additionalAttributes });
      await acknowledgements.of(messageId, send, signal);
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  async #contentOf({ text, file }: Piece): Promise<proto.IMessage> {
    if (file === undefined) return textMessage(text);
    const document = await uploadDocument(this.#parts.socket(), this.#parts.socketUrl, file);
    return { documentMessage: text === "" ? document : { ...document, caption: text } };
  }

  #receiptFor({ chatId }: Conversation, messageId: string): SendReceipt {
    return { messageId, link: linkTo(chatId), sentAt: this.#parts.clock.now() };
  }
}

function textMessage(text: string): proto.IMessage {
  return { extendedTextMessage: { text } };
}

function rethrown(error: unknown): never {
  throw toPlatformError(error);
}
