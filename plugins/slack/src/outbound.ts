import {
  type Clock,
  type Conversation,
  type Logger,
  type Piece,
  PlatformError,
  type SendOptions,
  type SendReceipt,
  sleep,
} from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { choiceBlocksOf } from "./choices.ts";
import { isDoubtful, isMarkupRefused, threadGone, uncertain } from "./errors.ts";
import { contentOf, plainContentOf } from "./format.ts";
import { findMessage, hasMetadata, messagesAt } from "./history.ts";
import { blockIdOf, shareFile } from "./share-file.ts";
import { MESSAGE_METADATA, timeOf } from "./source.ts";
import type { WritingStatus } from "./writing-status.ts";

/** A file is shared some moments after Slack took it, which looks through it first; in milliseconds. */
const FILE_APPEARS_MS = [2_000, 5_000];

/** Sends, changes and looks up messages. */
export class Outbound {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #status: WritingStatus;

  constructor(api: SlackApi, clock: Clock, logger: Logger, status: WritingStatus) {
    this.#api = api;
    this.#clock = clock;
    this.#logger = logger;
    this.#status = status;
  }

  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    try {
      const receipt = await this.#post(to, piece, options);
      this.#status.ended(to);
      return receipt;
    } catch (error) {
      if (!(error instanceof PlatformError) || !isDoubtful(error)) throw error;
      return this.#afterDoubt(to, options, error, piece.file === undefined ? [] : FILE_APPEARS_MS);
    }
  }

  async edit(at: Conversation, messageId: string, piece: Piece, { signal }: SendOptions): Promise<SendReceipt> {
    try {
      await this.#update(at, messageId, messageOf(piece), signal);
    } catch (error) {
      if (!(error instanceof PlatformError) || !isMarkupRefused(error)) throw error;
      await this.#update(at, messageId, { ...plainContentOf(piece.text), blocks: [] }, signal);
    }
    return { messageId, sentAt: timeOf(messageId) };
  }

  /** Throws PLATFORM_UNCERTAIN where the message may have been changed. */
  async #update({ chatId: channel }: Conversation, ts: string, content: object, signal: AbortSignal): Promise<void> {
    try {
      await this.#api.call("chat.update", { channel, ts, ...content }, { signal });
    } catch (error) {
      if (!(error instanceof PlatformError) || !isDoubtful(error)) throw error;
      throw uncertain(String(error.fields.reason), { cause: error });
    }
  }

  /** Looks for the metadata that every message of ours has, and every file's block. */
  async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    const found = await findMessage(
      messagesAt(this.#api, to, signal),
      (message) =>
        hasMetadata(message, MESSAGE_METADATA, "key", key) ||
        message.blocks?.some(({ block_id: id }) => id === blockIdOf(key)) === true,
    );
    return found && { messageId: found.ts, sentAt: timeOf(found.ts) };
  }

  async #post(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    if (piece.file) {
      const messageId = await shareFile(this.#api, to, { caption: piece.text, file: piece.file }, options);
      return { messageId, sentAt: this.#clock.now() };
    }
    try {
      return await this.#postMessage(to, messageOf(piece), options);
    } catch (error) {
      if (!(error instanceof PlatformError) || !isMarkupRefused(error)) throw error;
      return this.#postMessage(to, plainContentOf(piece.text), options);
    }
  }

  async #postMessage(to: Conversation, content: object, { key, signal }: SendOptions): Promise<SendReceipt> {
    const { ts, message } = await this.#api.call(
      "chat.postMessage",
      {
        channel: to.chatId,
        ...content,
        ...(to.threadId === undefined ? {} : { thread_ts: to.threadId }),
        metadata: { event_type: MESSAGE_METADATA, event_payload: { key } },
        unfurl_links: false,
        unfurl_media: false,
      },
      { signal },
    );
    const messageId = String(ts);
    // A thread whose root is gone is no error to Slack: it posts to the whole channel, and only this tells.
    if (to.threadId !== undefined && Object(message).thread_ts !== to.threadId) {
      // Whether or not that can be taken back, it must not be sent there once more.
      await this.#api
        .call("chat.delete", { channel: to.chatId, ts: messageId }, { signal, waits: true })
        .catch((error: unknown) => this.#logger.warn({ error }, "a message stands outside of its thread"));
      throw threadGone();
    }
    return { messageId, sentAt: timeOf(messageId) };
  }

  /**
   * The answer to a send was lost: what became of it is looked up, and looked up again after each of the `waits`. Throws
   * what it is to be called then.
   */
  async #afterDoubt(
    to: Conversation,
    { key, signal }: SendOptions,
    error: PlatformError,
    waits: readonly number[],
  ): Promise<SendReceipt> {
    let found: SendReceipt | null;
    try {
      found = await this.findSent(to, key, signal);
      for (const ms of waits) {
        if (found !== null) break;
        await sleep(this.#clock, ms, signal);
        found = await this.findSent(to, key, signal);
      }
    } catch (reason) {
      throw uncertain(`${error.message} It could not be looked up.`, { cause: reason });
    }
    if (found === null) throw error;
    return found;
  }
}

/** What people see of a piece: its text, with its choices below. */
function messageOf({ text, extra }: Piece): { readonly text: string; readonly blocks: readonly object[] } {
  const { blocks, ...summary } = contentOf(text);
  return { ...summary, blocks: [...blocks, ...choiceBlocksOf({ extra })] };
}
