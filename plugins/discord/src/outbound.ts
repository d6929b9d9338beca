import { createHash } from "node:crypto";
import type { Conversation, Piece, SendOptions, SendReceipt, Sent, SentLog } from "@hermes/core";
import { type APIMessage, type Client, type RawFile, Routes } from "discord.js";
import type { Channels, Rights } from "./channels.ts";
import { isRefusal, toPlatformError, unseen } from "./errors.ts";
import type { Right } from "./rights.ts";
import { type Channel, channelIdOf, isThread, linkTo } from "./source.ts";
import { largestIn, namesOf, uploadOf } from "./uploads.ts";

/** The longest nonce (API reference, "Create Message"), in characters. */
const NONCE_LENGTH = 25;

/** How many of a channel's latest messages are looked through for one whose fate is unknown. */
const LOOK_BACK = 100;

export interface OutboundParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly rights: Rights;
  readonly journal: SentLog;
  readonly userId: string;
  /** Called with what was sent, so that answers to it are not missed. */
  readonly onSent: (channelId: string) => void;
}

/** Sends pieces, one call each. The same key is the same message, also after a crash. */
export class Outbound {
  readonly #parts: OutboundParts;

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const channel = await this.#channel(to, options.signal);
    return this.#explained(channel, piece, async () =>
      this.#receipt(channel, await this.post(channel, piece, options)),
    );
  }

  async edit(at: Conversation, messageId: string, piece: Piece, { signal }: SendOptions): Promise<SendReceipt> {
    const channel = await this.#channel(at, signal);
    const change = async () => {
      const route = Routes.channelMessage(channel.id, messageId);
      const { body, files } = payloadOf(piece);
      const message = (await this.#parts.client.rest.patch(route, { body, files, signal })) as APIMessage;
      return this.#receipt(channel, {
        id: message.id,
        sentAt: Date.parse(message.edited_timestamp ?? message.timestamp),
      });
    };
    return this.#explained(channel, piece, change, { mayBeDone: true });
  }

  async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    const intent = this.#parts.journal.get(key);
    // Nothing is sent without being written down before.
    if (intent === null) return null;
    const channel = await this.#channel(to, signal);
    return this.#explained(channel, null, async () => {
      const found = await this.#madeFor(channel, intent, signal);
      return found && this.#receipt(channel, found);
    });
  }

  async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    const channel = await this.#channel(at, signal);
    await this.#explained(channel, null, () =>
      this.#parts.client.rest.post(Routes.channelTyping(channel.id), { signal }),
    );
  }

  /** Posts a piece under a key; what was posted under it before is found again. Throws what Discord answers. */
  async post(channel: Channel, piece: Piece, { key, content, signal }: SendOptions): Promise<Made> {
    const { client, journal, onSent } = this.#parts;
    const earlier = journal.get(key);
    const found = earlier && (await this.#madeFor(channel, earlier, signal));
    if (found) return found;
    if (!earlier) journal.begin(key, channel.id, contentOf(piece));
    const { body, files } = payloadOf(piece, content);
    try {
      const message = (await client.rest.post(Routes.channelMessages(channel.id), {
        // Discord compares nonces for some minutes, and returns the message that is there.
        body: { ...body, nonce: nonceOf(key), enforce_nonce: true },
        files,
        signal,
      })) as APIMessage;
      journal.made(key, message.id);
      onSent(channel.id);
      return { id: message.id, sentAt: Date.parse(message.timestamp) };
    } catch (error) {
      if (isRefusal(error)) journal.drop(key);
      throw error;
    }
  }

  /** What was made for an intent, by what was written down or by its content. */
  async #madeFor(channel: Channel, intent: Sent, signal: AbortSignal): Promise<Made | null> {
    const { client, journal, userId } = this.#parts;
    if (intent.madeId !== null) return { id: intent.madeId, sentAt: intent.at };
    const query = new URLSearchParams({
      limit: String(LOOK_BACK),
      ...(intent.after !== null && { after: intent.after }),
    });
    const messages = (await client.rest.get(Routes.channelMessages(channel.id), { query, signal })) as APIMessage[];
    const found = messages.findLast(
      (message) => message.author.id === userId && journal.isFor(intent, message.id, contentOfMessage(message)),
    );
    if (!found) return null;
    journal.made(intent.key, found.id);
    return { id: found.id, sentAt: Date.parse(found.timestamp) };
  }

  async #channel(at: Conversation, signal: AbortSignal): Promise<Channel> {
    const id = channelIdOf(at);
    try {
      return await this.#parts.channels.get(id, signal);
    } catch (error) {
      throw toPlatformError(error, unseen(`channel ${at.isPrivate ? at.chatId : id}`, at));
    }
  }

  async #explained<T>(
    channel: Channel,
    piece: Piece | null,
    run: () => Promise<T>,
    options?: { readonly mayBeDone: boolean },
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const needed: Right[] = ["ViewChannel", isThread(channel) ? "SendMessagesInThreads" : "SendMessages"];
      if (piece?.file) needed.push("AttachFiles");
      const { client, rights } = this.#parts;
      const place = { ...rights.describe(channel, needed), largestFile: largestIn(client, channel) };
      throw toPlatformError(error, place, options);
    }
  }

  #receipt(channel: Channel, { id, sentAt }: Made): SendReceipt {
    return { messageId: id, link: linkTo(channel, id), sentAt };
  }
}

/** A message that is there. */
export interface Made {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

function payloadOf(
  { text, file, extra }: Piece,
  content?: Uint8Array,
): {
  readonly body: Record<string, unknown>;
  readonly files: RawFile[];
} {
  const flags = typeof extra?.flags === "number" ? { flags: extra.flags } : {};
  // Nobody is pinged by what a model writes. An edit takes away buttons that the piece does not have.
  const body = { content: text, allowed_mentions: { parse: [] }, components: extra?.components ?? [], ...flags };
  if (!file || !content) return { body, files: [] };
  const { attachments, files } = uploadOf(file, content);
  return { body: { ...body, attachments }, files };
}

/** What a piece says, as it can be compared with a message: Discord takes the space at both ends off. */
function contentOf({ text, file }: Piece): string {
  return `${text.trim()}\n${file ? namesOf(file.name).filename : ""}`;
}

function contentOfMessage({ content, attachments }: APIMessage): string {
  return `${content.trim()}\n${attachments[0]?.filename ?? ""}`;
}

function nonceOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, NONCE_LENGTH);
}
