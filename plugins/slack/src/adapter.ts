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
  PlatformAdapter,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import type { Root } from "@hermes/core/markdown";
import { inject, injectable } from "tsyringe";
import type { SlackOptions } from "./config.ts";
import { connect, type Session } from "./connect.ts";
import { notRunning } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import { PLATFORM, placeAt } from "./source.ts";

/** Speaks for Hermes as a Slack app, by socket mode. */
@injectable()
export class SlackAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    // `chat.update` may be called 50 times a minute, by all conversations together ("Rate limits", tier 3).
    edits: { minIntervalMs: 1_500 },
    files: true,
    textLimit: TEXT_LIMIT,
    idempotentSend: false,
    lateRefusal: false,
    mirrors: false,
  };

  readonly #options: SlackOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #commands: readonly CommandInfo[];
  #session: Session | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(
    @inject(PLUGIN_OPTIONS) options: SlackOptions,
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
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    this.#session = await connect(
      {
        options: this.#options,
        clock: this.#clock,
        logger: this.#logger,
        commands: this.#commands,
        folder: this.#folder,
      },
      events,
      signal,
    );
  }

  override async stop(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    this.#health = { state: "down", detail: "The plugin was stopped." };
    await session?.stop();
  }

  override render(message: OutboundMessage, root?: Root): Piece[] {
    return render(message, root);
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { outbound, catchUp } = this.#connected();
    const receipt = await outbound.send(to, piece, options);
    catchUp.follow(placeAt(to.chatId, to.threadId));
    return receipt;
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#connected().outbound.edit(at, messageId, piece, options);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.#connected().status.show(at, signal);
  }

  override async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    return this.#connected().outbound.findSent(to, key, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { api, self, catchUp } = this.#connected();
    const conversation = await homeConversation(api, self, home);
    catchUp.follow(placeAt(conversation.chatId, conversation.threadId));
    return conversation;
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(this.#connected().api, home);
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread> {
    const { threads, catchUp } = this.#connected();
    const thread = await threads.create(parentChatId, name, options);
    catchUp.follow(placeAt(parentChatId, thread.conversation.threadId));
    return thread;
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    return this.#connected().threads.find(home, mark, signal);
  }

  override async deleteThread(thread: HandoffThread, signal: AbortSignal): Promise<void> {
    return this.#connected().threads.delete(thread, signal);
  }

  override health(): AdapterHealth {
    return this.#session?.socket.health ?? this.#health;
  }

  #connected(): Session {
    if (!this.#session) throw notRunning();
    return this.#session;
  }
}
