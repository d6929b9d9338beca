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
import { inject, injectable } from "tsyringe";
import type { DiscordOptions } from "./config.ts";
import { notConnected } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import { type DiscordService, startService } from "./service.ts";
import { channelIdOf, isForum, PLATFORM } from "./source.ts";

/** Discord allows five changes of messages in five seconds for a channel; other messages need some of them, too. */
const EDIT_EVERY_MS = 1_500;

/** Speaks to Discord through a bot: by its gateway to listen, and by its API for everything else. */
@injectable()
export class DiscordAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    edits: { minIntervalMs: EDIT_EVERY_MS },
    files: true,
    textLimit: TEXT_LIMIT,
    idempotentSend: true,
    lateRefusal: false,
    mirrors: false,
  };

  readonly #options: DiscordOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #scope: PluginScope;
  readonly #commands: readonly CommandInfo[];
  #service: DiscordService | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(
    @inject(PLUGIN_OPTIONS) options: DiscordOptions,
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
    this.#scope = scope;
    this.#commands = commands;
    scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    this.#service = await startService({
      options: this.#options,
      clock: this.#clock,
      logger: this.#logger,
      folder: this.#folder,
      commands: this.#commands,
      receive: (message) => events.receive(message),
      onEnded: (error, retryInMs) => {
        // The host starts a plugin again whose timer throws.
        this.#scope.setTimer(retryInMs, () => {
          throw error;
        });
      },
      signal,
    });
    signal.addEventListener("abort", () => void this.stop(), { once: true });
    if (signal.aborted) await this.stop();
  }

  override async stop(): Promise<void> {
    const service = this.#service;
    if (!service) return;
    this.#service = null;
    this.#health = { state: "down", detail: "The connection to Discord was closed." };
    await service.stop();
  }

  override render(message: OutboundMessage, root?: Root): Piece[] {
    return render(message, root);
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { outbound, threads, channels } = this.#parts();
    const channel = channels.known(to.chatId);
    // Discord would say so, too, and would not know why there is no post.
    if (channel && !this.takesMessages(to)) throw threads.noPostIn(channel);
    return outbound.send(to, piece, options);
  }

  /** A forum holds posts only. */
  override takesMessages({ chatId, threadId }: Conversation): boolean {
    const channel = this.#parts().channels.known(chatId);
    return threadId !== undefined || !channel || !isForum(channel);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.edit(at, messageId, piece, options);
  }

  override async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    return this.#parts().outbound.findSent(to, key, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    await this.#parts().outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const parts = this.#parts();
    const conversation = await homeConversation(home, parts);
    // What is written there while nobody listens is wanted, also before anything else is.
    if (this.takesMessages(conversation)) parts.catchUp.follow(channelIdOf(conversation));
    return conversation;
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(home, this.#parts());
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread | null> {
    return this.#parts().threads.open(parentChatId, name, options);
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    const { threads, channels } = this.#parts();
    const { kind, chatId, threadId } = await this.homeConversation(home);
    if (kind === "dm" || threadId !== undefined) return null;
    return threads.find(await channels.get(chatId, signal), mark, signal);
  }

  override async deleteThread({ conversation }: HandoffThread, signal: AbortSignal): Promise<void> {
    const { threads } = this.#parts();
    const { chatId, threadId } = conversation;
    // A home that is a thread itself was there before, and stays.
    if (threadId === undefined || threadId === this.#options.homeChannel?.chatId) return;
    await threads.remove(chatId, threadId, signal);
  }

  override health(): AdapterHealth {
    return this.#service?.connection.health ?? this.#health;
  }

  #parts(): DiscordService {
    if (!this.#service) throw notConnected();
    return this.#service;
  }
}
