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
  REDACTOR,
  type Redactor,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import type { Root } from "@hermes/core/markdown";
import { inject, injectable } from "tsyringe";
import type { MatrixOptions } from "./config.ts";
import { notRunning, toPlatformError, unauthorised } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { findHome, peopleAt } from "./home.ts";
import { type RunningBot, startBot } from "./running-bot.ts";
import { PLATFORM } from "./source.ts";
import { findThread, openThread, removeThread } from "./threads.ts";

/** How long a session that was opened again has to last, in milliseconds, for another one to be opened at once. */
const OPENED_AGAIN_AFTER_MS = 60_000;

/** Receives by syncing and sends by the client-server API, as one account. */
@injectable()
export class MatrixAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    // Each edit is an event that stays, and Synapse permits one in five seconds after the first ten.
    edits: { minIntervalMs: 3_000 },
    files: true,
    textLimit: TEXT_LIMIT,
    idempotentSend: true,
    lateRefusal: false,
    mirrors: false,
  };
  readonly #options: MatrixOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #redact: Redactor;
  readonly #scope: PluginScope;
  readonly #commands: readonly CommandInfo[];
  #running: RunningBot | null = null;
  #health: AdapterHealth = { state: "starting" };
  /** Aborts when the adapter is to be stopped. */
  readonly #stopping = new AbortController();
  #opening: Promise<void> = Promise.resolve();
  #openedAgainAt = Number.NEGATIVE_INFINITY;

  constructor(
    @inject(PLUGIN_OPTIONS) options: MatrixOptions,
    @inject(PLUGIN_SCOPE) scope: PluginScope,
    @inject(CLOCK) clock: Clock,
    @inject(LOGGER) logger: Logger,
    @inject(PLUGIN_FOLDER) folder: string,
    @inject(PLATFORM_COMMANDS) commands: readonly CommandInfo[],
    @inject(REDACTOR) redact: Redactor,
  ) {
    super();
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#folder = folder;
    this.#redact = redact;
    this.#scope = scope;
    this.#commands = commands;
    scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    await this.#open(events, signal);
    signal.addEventListener("abort", () => void this.stop(), { once: true });
    if (signal.aborted) await this.stop();
    signal.throwIfAborted();
  }

  async #open(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    try {
      this.#running = await startBot({
        options: this.#options,
        clock: this.#clock,
        logger: this.#logger,
        folder: this.#folder,
        redact: this.#redact,
        commands: this.#commands,
        receive: (message) => events.receive(message),
        holdsAccount: async () => (await events.holdsAccount?.()) ?? true,
        onHealth: (health) => {
          this.#health = health;
        },
        startAgain: (reason) => this.#fail(reason),
        openAgain: () => {
          this.#opening = this.#openAgain(events, signal);
        },
        signal: AbortSignal.any([signal, this.#stopping.signal]),
      });
    } catch (thrown) {
      const error = toPlatformError(thrown);
      this.#logger.debug({ error: thrown }, "the bot did not start");
      this.#health = { state: "down", detail: `${error.message} ${error.hint}` };
      throw error;
    }
  }

  /**
   * Logs in again at once, and goes on with what is under way: turns need not come to their end for that. A server that
   * ends sessions as fast as it opens them is left to the host, which waits.
   */
  async #openAgain(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const ended = this.#running;
    if (ended === null || this.#stopping.signal.aborted) return;
    const now = this.#clock.now();
    if (now - this.#openedAgainAt < OPENED_AGAIN_AFTER_MS) return this.#fail(unauthorised());
    this.#openedAgainAt = now;
    this.#running = null;
    this.#health = { state: "starting", detail: "The session has ended; another one is being opened." };
    this.#logger.warn({}, "the session of the bot has ended; it logs in again");
    await ended.stop();
    await this.#open(events, signal).catch((error: unknown) => this.#fail(error));
  }

  /** The host starts a plugin again whose timer throws. */
  #fail(reason: unknown): void {
    this.#scope.setTimer(0, () => {
      throw reason;
    });
  }

  override async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#opening;
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    this.#health = { state: "down", detail: "The bot was stopped." };
    await running.stop();
  }

  override render(message: OutboundMessage, root?: Root): Piece[] {
    return render(message, root);
  }

  override async send(to: Conversation, piece: Piece, { key, signal }: SendOptions): Promise<SendReceipt> {
    return this.#bot().outbound.send(to, piece, key, signal);
  }

  override async edit(
    at: Conversation,
    messageId: string,
    piece: Piece,
    { key, signal }: SendOptions,
  ): Promise<SendReceipt> {
    return this.#bot().outbound.edit(at, messageId, piece, key, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.#bot().outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    return findHome(this.#bot(), home);
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(this.#bot(), home);
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    { mark, signal }: ThreadOptions,
  ): Promise<HandoffThread> {
    return openThread(this.#bot(), parentChatId, name, mark, signal);
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    const bot = this.#bot();
    const { chatId } = await findHome(bot, home);
    return findThread(bot, chatId, mark, signal);
  }

  override async deleteThread({ conversation }: HandoffThread): Promise<void> {
    return removeThread(this.#bot(), conversation);
  }

  override health(): AdapterHealth {
    const problem = this.#health.state === "up" ? (this.#running?.unreadable ?? null) : null;
    return problem === null ? this.#health : { state: "degraded", detail: problem };
  }

  #bot(): RunningBot {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
