import { createHash } from "node:crypto";
import {
  type Clock,
  type Conversation,
  KeptJson,
  type Piece,
  RecentMap,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import { type BinaryNode, proto, type WASocket } from "@whiskeysockets/baileys";
import { notFound, uncertain } from "../errors.ts";
import type { People } from "../people.ts";
import { isGroupId, isPhoneNumber, linkTo } from "../source.ts";
import { refusedMessage, toPlatformError } from "./errors.ts";
import { uploadFile } from "./upload-file.ts";

interface OutboundParts {
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

  async send(to: Conversation, piece: Piece, { key, content, signal }: SendOptions): Promise<SendReceipt> {
    const messageId = messageIdFor(key);
    await this.#relay(to, messageId, () => this.#contentOf(piece, content, signal), signal);
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
    const ids = await this.#parts.people.addressesOf(chatId);
    const id = ids.find((one) => isPhoneNumber(one) || one.endsWith("@lid"));
    if (id !== undefined) return isPhoneNumber(id) ? `${id}@s.whatsapp.net` : id;
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
    let mayBeDone = false;
    try {
      const content = await contentOf();
      sent.note(messageId, content);
      const send = () => socket.relayMessage(jid, content, { messageId, additionalAttributes });
      // A send need not say so: it is made again, and shown once.
      mayBeDone = "edit" in additionalAttributes;
      await acknowledgements.of(messageId, send, signal);
    } catch (error) {
      const known = toPlatformError(error);
      throw mayBeDone && known.code === "PLATFORM_UNAVAILABLE" ? uncertain(String(known.fields.reason)) : known;
    }
  }

  async #contentOf(
    { text, file }: Piece,
    content: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<proto.IMessage> {
    if (file === undefined || content === undefined) return textMessage(text);
    const { socket, socketUrl } = this.#parts;
    return uploadFile(socket(), socketUrl, { file, content, caption: text, signal });
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

/** The server's word on each message that was sent: that it has it, or why not. */
export class Acknowledgements {
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();

  /** To be told of each socket: those that were awaited on the last one do not come any more. */
  listen(socket: WASocket): void {
    socket.ws.on("CB:ack,class:message", ({ attrs }: BinaryNode) => this.#take(attrs));
    socket.ws.on("close", () => this.#fail("the connection was lost"));
  }

  /** Resolves when the server has the message; rejects with a PlatformError. */
  async of(messageId: string, send: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const awaited = Promise.withResolvers<void>();
    // It may fail while `send` is still at work.
    awaited.promise.catch(() => {});
    this.#awaited.set(messageId, awaited);
    const giveUp = () => awaited.reject(uncertain("the server did not answer in time"));
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      await send();
      await awaited.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      this.#awaited.delete(messageId);
    }
  }

  #take({ id = "", error }: BinaryNode["attrs"]): void {
    const awaited = this.#awaited.get(id);
    if (error === undefined) awaited?.resolve();
    else awaited?.reject(refusedMessage(error));
  }

  #fail(reason: string): void {
    for (const awaited of this.#awaited.values()) awaited.reject(uncertain(reason));
  }
}

/** How many messages are remembered. */
const MOST_REMEMBERED = 200;

/** WhatsApp lets a message be changed for 15 minutes; a little less, so that a change arrives in time, in milliseconds. */
const EDITABLE_MS = 14 * 60_000;

/**
 * The message id for a send, derived from its key. WhatsApp's apps show a message id once, however often it comes: that
 * makes a repeated send idempotent.
 */
function messageIdFor(key: string): string {
  return `3EB0${createHash("sha256").update(key).digest("hex").slice(0, 18).toUpperCase()}`;
}

/** What was sent recently: when, to know whether it can still be edited, and what, should a receiver ask for it again. */
export class SentMessages {
  readonly #file: KeptJson<[string, number][]>;
  readonly #clock: Clock;
  readonly #times: Map<string, number>;
  readonly #contents = new RecentMap<string, proto.IMessage>(MOST_REMEMBERED);

  constructor(path: string, clock: Clock) {
    this.#file = new KeptJson(path, { empty: [], isDurable: true });
    this.#clock = clock;
    this.#times = new RecentMap(MOST_REMEMBERED, this.#file.read());
  }

  note(id: string, content: proto.IMessage): void {
    this.#contents.set(id, content);
    if (this.#times.has(id)) return;
    this.#times.set(id, this.#clock.now());
    this.#file.write([...this.#times]);
  }

  content(id: string): proto.IMessage | undefined {
    return this.#contents.get(id);
  }

  canBeChanged(id: string): boolean {
    const at = this.#times.get(id);
    return at !== undefined && this.#clock.now() - at < EDITABLE_MS;
  }
}
