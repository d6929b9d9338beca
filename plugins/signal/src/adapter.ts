import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  CLOCK,
  type Clock,
  type Conversation,
  type HomeChannel,
  type InboundMessage,
  LOGGER,
  type Logger,
  type OutboundMessage,
  type Piece,
  PLAIN_TEXT_ONLY,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  PlatformAdapter,
  type PluginScope,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import { inject, injectable } from "tsyringe";
import { createReadText } from "./attachments.ts";
import type { SignalOptions } from "./config.ts";
import { completeSelf, connect } from "./connect.ts";
import { DaemonClient } from "./daemon-client.ts";
import { Directory } from "./directory.ts";
import type { ReceivedEvent } from "./envelope.ts";
import { asPlatformError, notRunning } from "./errors.ts";
import { EventJournal } from "./event-journal.ts";
import { EventStream } from "./event-stream.ts";
import { TEXT_LIMIT } from "./format/split.ts";
import { render } from "./format.ts";
import { Health } from "./health.ts";
import { findHome } from "./home.ts";
import { type DecodeContext, decode } from "./inbound.ts";
import { NumbersOfPeople } from "./numbers-of-people.ts";
import { Originals } from "./originals.ts";
import { Outbound } from "./outbound.ts";
import { OwnNotes } from "./own-notes.ts";
import { Receiver } from "./receiver.ts";
import type { SelfAddress } from "./self-address.ts";
import { canonicalId, isNumber, PLATFORM } from "./source.ts";
import { UnreadableMessages } from "./unreadable.ts";

/** What is there between `start` and `stop`. */
interface Running {
  readonly client: DaemonClient;
  readonly directory: Directory;
  readonly self: SelfAddress;
  readonly outbound: Outbound;
  readonly receiver: Receiver;
  readonly stream: EventStream;
  readonly stopping: AbortController;
}

/** Receives and sends as one account of signal-cli. Signal has no threads: a handoff lands in the home channel itself. */
@injectable()
export class SignalAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    // Each edit is a message to everybody, and stays in the history of the edited one.
    edits: { minIntervalMs: 5_000 },
    typing: true,
    files: true,
    textLimit: TEXT_LIMIT,
  };

  readonly #options: SignalOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #health = new Health();
  #running: Running | null = null;

  constructor(
    @inject(PLUGIN_OPTIONS) options: SignalOptions,
    @inject(PLUGIN_SCOPE) scope: PluginScope,
    @inject(CLOCK) clock: Clock,
    @inject(LOGGER) logger: Logger,
    @inject(PLUGIN_FOLDER) folder: string,
  ) {
    super();
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#folder = folder;
    scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const { url, account } = this.#options;
    const client = new DaemonClient(url, this.#clock);
    const directory = new Directory(client);
    try {
      const { version, self } = await connect(client, directory, account, signal);
      const numbers = new NumbersOfPeople(directory, this.#logger);
      await numbers.learn(this.#namedNumbers(), signal);
      this.#running = this.#assemble({ client, directory, self, numbers }, events);
      signal.addEventListener("abort", () => void this.stop(), { once: true });
      this.#running.receiver.start();
      await this.#running.stream.start();
      this.#logger.info({ version, account: self.number ?? self.uuid }, "signal-cli hands messages on");
    } catch (thrown) {
      await this.stop();
      const error = asPlatformError(thrown);
      this.#health.stream = { state: "down", detail: `${error.message} ${error.hint}` };
      throw error;
    }
    signal.throwIfAborted();
  }

  override async stop(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    running.stopping.abort();
    running.receiver.stop();
    await running.stream.stop();
    this.#health.stream = { state: "down", detail: "It was stopped." };
  }

  override render(message: OutboundMessage): Piece[] {
    return render(message);
  }

  override async send(to: Conversation, piece: Piece, { signal }: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.send(to, piece, signal);
  }

  override async edit(
    at: Conversation,
    messageId: string,
    piece: Piece,
    { key, signal }: SendOptions,
  ): Promise<SendReceipt> {
    return this.#parts().outbound.edit(at, messageId, piece, key, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.#parts().outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { client, directory, self } = this.#parts();
    try {
      return await findHome({ client, directory, self, account: this.#options.account }, home);
    } catch (error) {
      throw asPlatformError(error);
    }
  }

  override health(): AdapterHealth {
    return this.#health.current;
  }

  #assemble(
    { numbers, ...parts }: Pick<Running, "client" | "directory" | "self"> & { readonly numbers: NumbersOfPeople },
    { receive }: AdapterEvents,
  ): Running {
    const { client, self } = parts;
    const { account, trustNewIdentities } = this.#options;
    const [clock, logger] = [this.#clock, this.#logger];
    const stopping = new AbortController();
    const ownNotes = new OwnNotes(this.#folder);
    const journal = new EventJournal(this.#folder);
    const readText = createReadText(client, logger, stopping.signal);
    const context = { self, account, ownNotes, readText, numbers, originals: new Originals() };
    const take = (event: ReceivedEvent) => this.#decode(event, { ...parts, stopping }, context);
    const unreadable = new UnreadableMessages({
      ...{ client, numbers, health: this.#health, logger, trustNewIdentities },
      isNamed: (ids) => this.#isNamed(ids),
    });
    const onUnreadable = (event: ReceivedEvent) => void unreadable.note(event);
    const receiver = new Receiver({ journal, clock, logger, decode: take, receive, onUnreadable });
    const stream = new EventStream({
      open: (lastEventId, signal) => client.openEvents(lastEventId, signal),
      clock,
      logger,
      lastEventId: () => receiver.lastEventId(),
      take: (event) => receiver.take(event),
      onHealth: (health) => {
        this.#health.stream = health;
      },
    });
    const outbound = new Outbound({
      client,
      self,
      ownNotes,
      logger,
      trustNewIdentities,
      onPartial: (to, problem) => {
        if (problem) logger.warn({ chat: to.chatId, reason: problem.message }, "not everybody got a message");
        this.#health.noteUnsent(to, problem);
      },
    });
    return { ...parts, outbound, receiver, stream, stopping };
  }

  async #decode(
    event: ReceivedEvent,
    { client, directory, stopping }: Pick<Running, "client" | "directory" | "stopping">,
    context: DecodeContext,
  ): Promise<InboundMessage | null> {
    const { self } = context;
    const account = event.account ? canonicalId(event.account) : null;
    if (account !== null && !self.isAny(account)) {
      // A daemon that lists its accounts serves another one besides; else this is the one that could not be asked for.
      if (client.account !== undefined) return null;
      self.add(account);
      await completeSelf(self, directory, stopping.signal);
    }
    const message = await decode(event, context);
    if (message) {
      const { conversation, sender } = message;
      this.#health.noteUnread(sender.id, null);
      this.#logger.debug({ chat: conversation.chatId, sender: sender.id }, "a message came");
    }
    return message;
  }

  /** The people whom the config names by number. */
  #namedNumbers(): string[] {
    const { allowedUsers, operators } = this.#options;
    return [...new Set([...allowedUsers, ...operators])].filter(isNumber);
  }

  #isNamed(ids: readonly string[]): boolean {
    const { allowedUsers, operators, homeChannel } = this.#options;
    const named = [...allowedUsers, ...operators, homeChannel?.chatId];
    return named.includes("*") || ids.some((id) => named.includes(id));
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
