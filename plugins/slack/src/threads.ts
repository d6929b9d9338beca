import {
  type HandoffThread,
  type HomeChannel,
  type Logger,
  PlatformError,
  reasonOf,
  type ThreadOptions,
  threadName,
} from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { isDoubtful, unavailable } from "./errors.ts";
import { findMessage, hasMetadata, messagesAt } from "./history.ts";
import type { Identity } from "./identity.ts";
import { encode } from "./mrkdwn.ts";
import { conversationOf, THREAD_METADATA } from "./source.ts";

/** The longest title in the root of a thread, in characters ("Header block"). */
const LONGEST_NAME = 150;

/** Opens and finds threads for handoffs. A thread on Slack needs a root, so one is posted: its `ts` is the thread. */
export class HandoffThreads {
  readonly #api: SlackApi;
  readonly #self: Identity;
  readonly #logger: Logger;

  constructor(api: SlackApi, self: Identity, logger: Logger) {
    this.#api = api;
    this.#self = self;
    this.#logger = logger;
  }

  async create(channel: string, name: string, { mark, signal }: ThreadOptions): Promise<HandoffThread> {
    const title = threadName(name, LONGEST_NAME);
    // The call does not get the signal: its answer is needed to delete the root again.
    const posting = this.#api
      .call(
        "chat.postMessage",
        {
          channel,
          text: encode(title),
          // A header is plain text, so marks in the title have no effect.
          blocks: [{ type: "header", text: { type: "plain_text", text: title, emoji: false } }],
          metadata: { event_type: THREAD_METADATA, event_payload: { mark } },
          unfurl_links: false,
          unfurl_media: false,
        },
        { waits: true },
      )
      .then(({ ts }) => String(ts));
    const ts = await posting.catch((error: unknown) => this.#afterDoubt(channel, mark, error, signal));
    if (signal.aborted) {
      await this.#remove(channel, ts);
      throw unavailable("the thread was called off");
    }
    return this.#threadAt(channel, ts);
  }

  async find({ chatId }: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    const ts = await this.#findTs(chatId, mark, signal);
    return ts === null ? null : this.#threadAt(chatId, ts);
  }

  /** Deletes the bot's messages in a thread, and the root. Only people can delete their own. */
  async delete({ conversation }: HandoffThread, signal: AbortSignal): Promise<void> {
    const { chatId, threadId } = conversation;
    if (threadId === undefined) return;
    const own: string[] = [];
    try {
      for await (const { ts, bot_id: botId } of messagesAt(this.#api, conversation, signal)) {
        if (botId === this.#self.botId) own.push(ts);
      }
    } catch (error) {
      if (error instanceof PlatformError && error.code === "PLATFORM_THREAD_GONE") return;
      throw error;
    }
    // The root last: without it the others cannot be found.
    for (const ts of own.reverse()) await this.#remove(chatId, ts, signal);
  }

  async #afterDoubt(channel: string, mark: string, thrown: unknown, signal: AbortSignal): Promise<string> {
    if (!(thrown instanceof PlatformError) || !isDoubtful(thrown)) throw thrown;
    const found = await this.#findTs(channel, mark, signal).catch(() => null);
    if (found === null) throw thrown;
    return found;
  }

  async #findTs(channel: string, mark: string, signal: AbortSignal): Promise<string | null> {
    const messages = messagesAt(this.#api, conversationOf(channel, this.#self.teamId), signal);
    const found = await findMessage(messages, (message) => hasMetadata(message, THREAD_METADATA, "mark", mark));
    return found?.ts ?? null;
  }

  async #threadAt(channel: string, ts: string): Promise<HandoffThread> {
    return {
      conversation: conversationOf(channel, this.#self.teamId, ts),
      link: await this.#linkTo(channel, ts),
    };
  }

  /** A failure does not matter: the thread works without a link. */
  async #linkTo(channel: string, ts: string): Promise<string | undefined> {
    try {
      const { permalink } = await this.#api.call("chat.getPermalink", { channel, message_ts: ts }, { waits: true });
      return String(permalink);
    } catch (error) {
      this.#logger.warn({ reason: reasonOf(error) }, "Slack gave no link to a thread");
      return undefined;
    }
  }

  async #remove(channel: string, ts: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#api.call("chat.delete", { channel, ts }, { signal, waits: true });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== "PLATFORM_NOT_FOUND") throw error;
    }
  }
}
