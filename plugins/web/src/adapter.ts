import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  CLOCK,
  type Clock,
  type Conversation,
  type HandoffThread,
  type HomeChannel,
  ID_SOURCE,
  type IdSource,
  LOGGER,
  type Logger,
  type OutboundMessage,
  type PeopleAt,
  type Piece,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  PlatformAdapter,
  type PluginScope,
  REDACTOR,
  type Redactor,
  reasonOf,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
  threadName,
} from "@hermes/core";
import { inject, injectable } from "tsyringe";
import type { WebOptions } from "./config.ts";
import { inFile, noSuchChat, notRunning, threadGone, unavailable } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { InboundQueue } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import { LiveUpdates } from "./server/live.ts";
import type { WebServer } from "./server/web-server.ts";
import { conversationOf, HOME_CHAT_ID, linkTo, OWNER, PLATFORM, threadIdOf } from "./source.ts";
import type { WebFile } from "./storage/web-file.ts";

/** UTF-16 units of a thread's name. */
const LONGEST_NAME = 100;

/** How long a page shows that an answer is being written, without another word. In milliseconds. */
const TYPING_MS = 6_000;

/** What is there between `start` and `stop`. */
interface Running {
  readonly file: WebFile;
  readonly live: LiveUpdates;
  readonly inbound: InboundQueue;
  readonly server: WebServer;
  readonly outbound: Outbound;
}

/** Serves the page, and keeps what is said there in a file of its own. */
@injectable()
export class WebAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    edits: { minIntervalMs: 50 },
    files: false,
    textLimit: TEXT_LIMIT,
    idempotentSend: true,
    lateRefusal: false,
    mirrors: true,
  };

  readonly #options: WebOptions;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #redact: Redactor;
  readonly #scope: PluginScope;
  #running: Running | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(
    @inject(PLUGIN_OPTIONS) options: WebOptions,
    @inject(PLUGIN_SCOPE) scope: PluginScope,
    @inject(CLOCK) clock: Clock,
    @inject(ID_SOURCE) ids: IdSource,
    @inject(LOGGER) logger: Logger,
    @inject(PLUGIN_FOLDER) folder: string,
    @inject(REDACTOR) redact: Redactor,
  ) {
    super();
    this.#options = options;
    this.#clock = clock;
    this.#ids = ids;
    this.#logger = logger;
    this.#folder = folder;
    this.#redact = redact;
    this.#scope = scope;
    scope.onDispose(() => this.stop());
  }

  /** How links to the page begin; null while it is not running. */
  get baseUrl(): string | null {
    return this.#running?.server.names.baseUrl ?? null;
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    // Only now: a terminal that names this plugin in its config needs neither.
    const [{ openWebFile }, { startWebServer }] = await Promise.all([
      import("./storage/web-file.ts"),
      import("./server/web-server.ts"),
    ]);
    signal.throwIfAborted();
    const { host, port, publicUrl, limits, account, homeChannel } = this.#options;
    const clock = this.#clock;
    const logger = this.#logger;
    const file = inFile(() => openWebFile(this.#folder, { now: clock.now(), redact: this.#redact }));
    try {
      file.threads.rename(HOME_CHAT_ID, threadName(homeChannel.name ?? "Home", LONGEST_NAME));
      const live = new LiveUpdates(file, clock);
      const inbound = new InboundQueue({
        messages: file.messages,
        receive: (message) => events.receive(message),
        clock,
        logger,
        account,
      });
      const server = await startWebServer(
        { file, live, clock, logger, limits, onMessage: (threadId) => inbound.wake(threadId) },
        { host, port, publicUrl },
        (error) => this.#fail(error),
      );
      const outbound = new Outbound(file, clock, this.#ids, server.names.baseUrl);
      this.#running = { file, live, inbound, server, outbound };
      this.#health = { state: "up" };
      inbound.start();
      logger.info({ url: server.names.baseUrl }, "the page is served");
    } catch (error) {
      file[Symbol.dispose]();
      this.#health = { state: "down", detail: `${reasonOf(error)}.` };
      throw error;
    }
    if (signal.aborted) await this.stop();
    signal.addEventListener("abort", () => void this.stop(), { once: true });
  }

  override async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    this.#health = { state: "down", detail: "The page's server was stopped." };
    running.inbound.stop();
    await running.server.stop();
    running.file[Symbol.dispose]();
  }

  override render(message: OutboundMessage): Piece[] {
    return render(message);
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece): Promise<SendReceipt> {
    return this.#parts().outbound.edit(at, messageId, piece);
  }

  override async findSent(to: Conversation, key: string): Promise<SendReceipt | null> {
    return this.#parts().outbound.findSent(to, key);
  }

  override async typing(at: Conversation): Promise<void> {
    this.#parts().live.tell({ type: "typing", threadId: threadIdOf(at), forMs: TYPING_MS });
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    if (home.chatId !== HOME_CHAT_ID) throw noSuchChat(home.chatId);
    if (home.threadId !== undefined && !this.#parts().file.threads.get(home.threadId)) throw threadGone();
    return conversationOf(home.threadId ?? HOME_CHAT_ID, this.#options.account);
  }

  override async peopleAt(): Promise<PeopleAt> {
    return { ids: [OWNER.id], isFixed: true };
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread> {
    if (parentChatId !== HOME_CHAT_ID) throw noSuchChat(parentChatId);
    options.signal.throwIfAborted();
    const thread = {
      id: this.#ids.next("thr"),
      name: threadName(name, LONGEST_NAME),
      mark: options.mark,
      at: this.#clock.now(),
    };
    return this.#threadAt(inFile(() => this.#parts().file.threads.open(thread)));
  }

  override async findThread(_home: HomeChannel, mark: string): Promise<HandoffThread | null> {
    const id = inFile(() => this.#parts().file.threads.idByMark(mark));
    return id === null ? null : this.#threadAt(id);
  }

  override async deleteThread(thread: HandoffThread): Promise<void> {
    inFile(() => this.#parts().file.threads.delete(threadIdOf(thread.conversation)));
  }

  override async prune(gone: (sessionIds: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    await this.#running?.file.pruning.prune(this.#clock, gone);
  }

  override health(): AdapterHealth {
    return this.#health;
  }

  #threadAt(threadId: string): HandoffThread {
    const { names } = this.#parts().server;
    return { conversation: conversationOf(threadId, this.#options.account), link: linkTo(names.baseUrl, threadId) };
  }

  #parts(): Running {
    if (!this.#running) throw notRunning();
    return this.#running;
  }

  #fail(error: Error): void {
    this.#logger.error({ reason: reasonOf(error) }, "the page's server failed");
    this.#health = { state: "down", detail: `The page's server failed: ${reasonOf(error)}. It is started again.` };
    // The host starts a plugin again whose timer throws.
    this.#scope.setTimer(0, () => {
      throw unavailable(`the page's server failed (${reasonOf(error)})`);
    });
  }
}
