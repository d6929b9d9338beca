import {
  type AdapterContext,
  type Capabilities,
  type ChoiceLimits,
  ConnectedAdapter,
  type Conversation,
  type HandoffThread,
  type HomeChannel,
  type InboundMessage,
  type PeopleAt,
  type Piece,
  reasonOf,
  type SaidElsewhere,
  type SendOptions,
  type SendReceipt,
  type ShownTurn,
  type ThreadOptions,
  threadName,
} from "@hermes/core";
import type { WebOptions } from "./config.ts";
import { inFile, noSuchChat, threadGone, unavailable } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { Outbound } from "./outbound.ts";
import { InboundQueue } from "./receive.ts";
import { LiveUpdates } from "./server/live.ts";
import { PageOverview } from "./server/overview.ts";
import type { WebPress } from "./server/parts.ts";
import { LONGEST_NAME, PageSessions } from "./server/sessions.ts";
import type { WebServer } from "./server/web-server.ts";
import { conversationOf, HOME_CHAT_ID, linkTo, OWNER, PLATFORM, threadIdOf } from "./source.ts";
import { KeptFiles, LARGEST_FILE } from "./storage/kept-files.ts";
import type { WebFile } from "./storage/web-file.ts";

/** How long a typing indicator is shown unless it is renewed, in milliseconds. */
const TYPING_MS = 6_000;

/** How long what was said elsewhere stays until its message takes its place, in milliseconds. */
const LAST_WORDS_MS = 2_000;

/** The parts that exist while the page is served. */
interface Connection {
  readonly file: WebFile;
  readonly files: KeptFiles;
  readonly live: LiveUpdates;
  readonly server: WebServer;
  readonly outbound: Outbound;
}

/** Serves the page, and stores its messages in a file of its own. */
export class WebAdapter extends ConnectedAdapter<Connection, WebOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    edits: { minIntervalMs: 50 },
    files: { largest: LARGEST_FILE },
    textLimit: TEXT_LIMIT,
    idempotentSend: true,
    lateRefusal: false,
    mirrors: true,
  };
  /** Buttons wrap on the page, so the limits are what a person can read through. */
  override readonly choices: ChoiceLimits = { most: 20, labelLength: 200 };
  override readonly render = render;

  /** What was said elsewhere in a thread, and goes unless its message comes first. */
  readonly #goings = new Map<string, Disposable>();

  /** The beginning of every link to the page; null while it is not running. */
  get baseUrl(): string | null {
    return this.connected?.server.names.baseUrl ?? null;
  }

  protected override async connect({
    receive,
    choose,
    history,
    signal,
    onHealth,
    onStop,
    fail,
  }: AdapterContext): Promise<Connection> {
    // Loaded here, since a terminal with this plugin in its config needs neither.
    const [{ openWebFile }, { startWebServer }] = await Promise.all([
      import("./storage/web-file.ts"),
      import("./server/web-server.ts"),
    ]);
    signal.throwIfAborted();
    const { options, clock, ids, logger, folder, redact, overview: given, sessions: seen } = this.deps;
    const { host, port, publicUrl, limits, account, homeChannel } = options;
    const file = inFile(() => openWebFile(folder, { now: clock.now(), redact }));
    onStop(() => file[Symbol.dispose]());
    file.threads.rename(HOME_CHAT_ID, threadName(homeChannel.name ?? "Home", LONGEST_NAME));
    const live = new LiveUpdates(file, clock);
    const onPress = ({ threadId, ...press }: WebPress) =>
      choose({ ...press, conversation: conversationOf(threadId, account), sender: OWNER });
    const overview = given === undefined ? null : new PageOverview(given, account);
    const sessions = seen === undefined ? null : new PageSessions(seen, account, file);
    const uploads = new KeptFiles(folder, "uploads");
    const files = new KeptFiles(folder, "files");
    void uploads.prune(clock.now(), (id) => file.messages.isWaitingFor(id)).catch(() => {});
    const inbound = new InboundQueue(file.messages, account, { uploads, files }, { receive, clock, logger });
    const server = await startWebServer(
      {
        file,
        uploads,
        files,
        live,
        clock,
        ids,
        logger,
        limits,
        overview,
        sessions,
        history: {
          calls: (threadId, turnIds) => history.calls(conversationOf(threadId, account), turnIds),
          outcome: (threadId, ...of) => history.outcome(conversationOf(threadId, account), ...of),
          earlier: (threadId, ...of) => history.earlier(conversationOf(threadId, account), ...of),
        },
        onMessage: (threadId) => inbound.wake(threadId),
        onPress,
      },
      { host, port, publicUrl },
      (error) => {
        const reason = reasonOf(error);
        logger.error({ reason }, "the page's server failed");
        onHealth({ state: "down", detail: `The page's server failed: ${reason}. It is started again.` });
        fail(unavailable(`the page's server failed (${reason})`));
      },
    );
    onStop(() => server.stop());
    onStop(() => inbound.stop());
    for (const waking of [overview?.wake(live, clock), sessions?.wake(live, clock)]) {
      onStop(() => waking?.[Symbol.dispose]());
    }
    inbound.start();
    logger.info({ url: server.names.baseUrl }, "the page is served");
    return { file, files, live, server, outbound: new Outbound({ file, files }, clock, ids, server.names.baseUrl) };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece);
  }

  /** Nobody edits or takes back what they wrote on the page. */
  override async readNow(kept: InboundMessage): Promise<InboundMessage> {
    return kept;
  }

  override async findSent(to: Conversation, key: string): Promise<SendReceipt | null> {
    return this.connection.outbound.findSent(to, key);
  }

  override async typing(at: Conversation): Promise<void> {
    this.connection.live.tell({ type: "typing", threadId: threadIdOf(at), forMs: TYPING_MS });
  }

  override watched(): readonly Conversation[] {
    const { account } = this.deps.options;
    return (this.connected?.live.watched ?? []).map((threadId) => conversationOf(threadId, account));
  }

  override showGrowing(at: Conversation, said: SaidElsewhere | null): void {
    const threadId = threadIdOf(at);
    this.#goings.get(threadId)?.[Symbol.dispose]();
    this.#goings.delete(threadId);
    if (said !== null) this.connected?.live.tell({ type: "growing", threadId, said });
    else
      this.#goings.set(
        threadId,
        this.deps.clock.setTimer(LAST_WORDS_MS, () => this.#endGrowing(threadId)),
      );
  }

  override showCalls(at: Conversation, turn: ShownTurn | null): void {
    this.connected?.live.tellCalls(threadIdOf(at), turn);
  }

  override showReaders(at: Conversation, readers: readonly string[]): void {
    this.connected?.live.tellReaders(threadIdOf(at), readers);
  }

  #endGrowing(threadId: string): void {
    this.#goings.delete(threadId);
    this.connected?.live.tell({ type: "growing", threadId, said: null });
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    if (home.chatId !== HOME_CHAT_ID) throw noSuchChat(home.chatId);
    if (home.threadId !== undefined && !this.connection.file.threads.has(home.threadId)) throw threadGone();
    return conversationOf(home.threadId ?? HOME_CHAT_ID, this.deps.options.account);
  }

  override async peopleAt(): Promise<PeopleAt> {
    return { ids: [OWNER.id], isFixed: true };
  }

  override async chatName(): Promise<string> {
    return "Home";
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread> {
    if (parentChatId !== HOME_CHAT_ID) throw noSuchChat(parentChatId);
    options.signal.throwIfAborted();
    const thread = {
      id: this.deps.ids.next("thr"),
      name: threadName(name, LONGEST_NAME),
      mark: options.mark,
      at: this.deps.clock.now(),
    };
    return this.#threadAt(inFile(() => this.connection.file.threads.open(thread)));
  }

  override async findThread(_home: HomeChannel, mark: string): Promise<HandoffThread | null> {
    const id = inFile(() => this.connection.file.threads.idByMark(mark));
    return id === null ? null : this.#threadAt(id);
  }

  override async deleteThread(thread: HandoffThread): Promise<void> {
    inFile(() => this.connection.file.threads.delete(threadIdOf(thread.conversation)));
  }

  override async deleteMessage(at: Conversation, messageId: string): Promise<void> {
    const { file } = this.connection;
    inFile(() => file.messages.blank(threadIdOf(at), messageId, this.deps.clock.now()));
  }

  override async prune(gone: (sessionIds: readonly string[]) => Promise<readonly string[]>): Promise<void> {
    const { connected } = this;
    await connected?.file.pruning.prune(this.deps.clock, gone);
    // The server may have stopped in the meantime.
    if (connected === null || this.connected !== connected) return;
    const kept = connected.file.messages.filesKept();
    await connected.files.prune(this.deps.clock.now(), (id) => kept.has(id));
  }

  #threadAt(threadId: string): HandoffThread {
    const { names } = this.connection.server;
    return { conversation: conversationOf(threadId, this.deps.options.account), link: linkTo(names.baseUrl, threadId) };
  }
}
