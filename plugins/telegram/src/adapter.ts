import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  CLOCK,
  type Clock,
  type CommandInfo,
  type Conversation,
  type HandoffThread,
  type HomeChannel,
  LOGGER,
  type Logger,
  type OutboundMessage,
  type PeopleAt,
  type Piece,
  PLATFORM_COMMANDS,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  PlatformAdapter,
  type PluginScope,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import type { Root } from "@hermes/core/markdown";
import type { Api } from "grammy";
import type { Update, UserFromGetMe } from "grammy/types";
import { inject, injectable } from "tsyringe";
import { createApi, toApiSignal } from "./bot-api.ts";
import { ChatIds } from "./chat-ids.ts";
import { toBotCommands } from "./commands.ts";
import type { TelegramOptions } from "./config.ts";
import { createDownload } from "./download.ts";
import { notRunning, toPlatformError } from "./errors.ts";
import { TEXT_LIMIT } from "./format/split.ts";
import { render } from "./format.ts";
import { findHome } from "./home.ts";
import { type DecodeContext, decode } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import { Poller } from "./poller.ts";
import { PLATFORM } from "./source.ts";
import { openTopic, removeTopic, type TopicParts } from "./topics.ts";

/** What is there between `start` and `stop`. */
interface Running {
  readonly me: UserFromGetMe;
  readonly poller: Poller;
  readonly outbound: Outbound;
  readonly topics: TopicParts;
}

/** Receives by long polling and sends by the Bot API, as one bot. */
@injectable()
export class TelegramAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    // "My bot is hitting limits": about one message a second in a chat.
    edits: { minIntervalMs: 1_000 },
    typing: true,
    files: true,
    textLimit: TEXT_LIMIT,
    idempotentSend: false,
    findsThreads: false,
    findsSent: false,
    deletesThreads: true,
    lateRefusal: false,
    mirrors: false,
  };

  readonly #options: TelegramOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #commands: readonly CommandInfo[];
  #running: Running | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(
    @inject(PLUGIN_OPTIONS) options: TelegramOptions,
    @inject(PLUGIN_SCOPE) scope: PluginScope,
    @inject(CLOCK) clock: Clock,
    @inject(LOGGER) logger: Logger,
    @inject(PLUGIN_FOLDER) folder: string,
    @inject(PLATFORM_COMMANDS) commands: readonly CommandInfo[],
  ) {
    super();
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#folder = folder;
    this.#commands = commands;
    scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const { account, linkPreviews } = this.#options;
    const logger = this.#logger;
    const clock = this.#clock;
    const api = createApi(this.#options);
    const chatIds = new ChatIds(this.#folder);
    try {
      const me = await api.getMe(toApiSignal(signal));
      // Nobody can poll while a webhook is set. What waits for it stays.
      await api.deleteWebhook({ drop_pending_updates: false }, toApiSignal(signal));
      await this.#register(api, signal);
      signal.throwIfAborted();
      const context = {
        me,
        account,
        commands: this.#commands,
        chatIds,
        download: createDownload(api, this.#options, logger),
      };
      const poller = new Poller({
        api,
        clock,
        logger,
        take: (update) => this.#take(update, context, events),
        onHealth: (health) => {
          this.#health = health;
        },
      });
      const outbound = new Outbound({ api, chatIds, clock, logger, linkPreviews });
      this.#running = { me, poller, outbound, topics: { api, chatIds, account, logger } };
      signal.addEventListener("abort", () => void this.stop(), { once: true });
      await poller.start();
    } catch (thrown) {
      await this.stop();
      const error = toPlatformError(thrown);
      this.#health = { state: "down", detail: `${error.message} ${error.hint}` };
      throw error;
    }
    signal.throwIfAborted();
    logger.info({ health: this.#health.state }, "the bot is connected");
  }

  override async stop(): Promise<void> {
    if (this.#running === null) return;
    // Whoever asks a second time waits for the same end: another poller may begin then.
    await this.#running.poller.stop();
    this.#running = null;
    this.#health = { state: "down", detail: "The bot was stopped." };
  }

  override render(message: OutboundMessage, root?: Root): Piece[] {
    return render(message, root);
  }

  override async send(to: Conversation, piece: Piece, { signal }: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.send(to, piece, signal);
  }

  override async edit(
    at: Conversation,
    messageId: string,
    piece: Piece,
    { signal }: SendOptions,
  ): Promise<SendReceipt> {
    return this.#parts().outbound.edit(at, messageId, piece, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.#parts().outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { topics, me } = this.#parts();
    return findHome(topics, home, me.id);
  }

  /** A private chat has the id of the person. */
  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return { ids: kind === "dm" ? [chatId] : [], isFixed: kind === "dm" };
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    { signal }: ThreadOptions,
  ): Promise<HandoffThread> {
    return openTopic(this.#parts().topics, parentChatId, name, signal);
  }

  override async deleteThread({ conversation }: HandoffThread): Promise<void> {
    return removeTopic(this.#parts().topics, conversation);
  }

  override health(): AdapterHealth {
    return this.#health;
  }

  async #take(update: Update, context: DecodeContext, events: AdapterEvents): Promise<void> {
    const message = await decode(update, context);
    if (message === null) return;
    const { conversation, sender } = message;
    this.#logger.debug(
      { chat: conversation.chatId, thread: conversation.threadId, sender: sender.id },
      "a message came",
    );
    await events.receive(message);
  }

  /** People's clients list the commands; a bot works without that. */
  async #register(api: Api, signal: AbortSignal): Promise<void> {
    try {
      await api.setMyCommands(toBotCommands(this.#commands), undefined, toApiSignal(signal));
    } catch (error) {
      const { code, message } = toPlatformError(error);
      if (code === "PLATFORM_UNAUTHORISED") throw error;
      this.#logger.warn({ code, reason: message }, "the slash commands could not be registered");
    }
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
