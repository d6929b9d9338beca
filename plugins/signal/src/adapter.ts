import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  CLOCK,
  type Clock,
  type Conversation,
  type HomeChannel,
  IDENTITIES,
  type Identities,
  LOGGER,
  type Logger,
  type OutboundMessage,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  PlatformAdapter,
  type PlatformError,
  type PluginScope,
  REDACTOR,
  type Redactor,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import type { Root } from "@hermes/core/markdown";
import { inject, injectable } from "tsyringe";
import type { SignalOptions } from "./config.ts";
import { connect } from "./connect.ts";
import { DaemonClient } from "./daemon-client.ts";
import { Directory } from "./directory.ts";
import { notRunning, toPlatformError } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { Health } from "./health.ts";
import { findHome } from "./home.ts";
import { Intake } from "./intake.ts";
import { NumbersOfPeople } from "./numbers-of-people.ts";
import { Outbound } from "./outbound.ts";
import { OwnNotes } from "./own-notes.ts";
import type { SelfAddress } from "./self-address.ts";
import { isNumber, PLATFORM } from "./source.ts";

/** What is there between `start` and `stop`. */
interface Running {
  readonly client: DaemonClient;
  readonly directory: Directory;
  readonly self: SelfAddress;
  readonly outbound: Outbound;
  readonly intake: Intake;
}

/** Receives and sends as one account of signal-cli. Signal has no threads: a handoff lands in the home channel itself. */
@injectable()
export class SignalAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    // Each edit is a message to everybody, and stays in the history of the edited one.
    edits: { minIntervalMs: 5_000 },
    files: true,
    textLimit: TEXT_LIMIT,
  };

  readonly #options: SignalOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #redact: Redactor;
  readonly #identities: Identities;
  readonly #health = new Health();
  #running: Running | null = null;

  constructor(
    @inject(PLUGIN_OPTIONS) options: SignalOptions,
    @inject(PLUGIN_SCOPE) scope: PluginScope,
    @inject(CLOCK) clock: Clock,
    @inject(LOGGER) logger: Logger,
    @inject(PLUGIN_FOLDER) folder: string,
    @inject(REDACTOR) redact: Redactor,
    @inject(IDENTITIES) identities: Identities,
  ) {
    super();
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#folder = folder;
    this.#redact = redact;
    this.#identities = identities;
    scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const { url, account } = this.#options;
    const client = new DaemonClient(url, this.#clock);
    const directory = new Directory(client);
    try {
      const { version, self } = await connect(client, directory, account, signal);
      const numbers = new NumbersOfPeople({ directory, clock: this.#clock, logger: this.#logger });
      await numbers.learn(this.#namedNumbers(), signal);
      signal.throwIfAborted();
      this.#running = this.#assemble({ client, directory, self, numbers }, events);
      signal.addEventListener("abort", () => void this.stop(), { once: true });
      await this.#running.intake.start();
      this.#logger.info({ version, account: self.number ?? self.uuid }, "signal-cli hands messages on");
    } catch (thrown) {
      await this.stop();
      const error = toPlatformError(thrown);
      this.#health.stream = { state: "down", detail: `${error.message} ${error.hint}` };
      throw error;
    }
    signal.throwIfAborted();
  }

  override async stop(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    await running.intake.stop();
    this.#health.stream = { state: "down", detail: "It was stopped." };
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
      const { account } = this.#options;
      return await findHome({ client, directory, self, identities: this.#identities, account }, home);
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return { ids: kind === "dm" ? [chatId] : [], isFixed: kind === "dm" };
  }

  override health(): AdapterHealth {
    return this.#health.current;
  }

  #assemble(
    { numbers, ...parts }: Pick<Running, "client" | "directory" | "self"> & { readonly numbers: NumbersOfPeople },
    { receive }: AdapterEvents,
  ): Running {
    const ownNotes = new OwnNotes(this.#folder);
    const shared = { ...parts, ownNotes, identities: this.#identities, logger: this.#logger };
    const intake = new Intake({
      ...{ ...shared, numbers, receive, health: this.#health, folder: this.#folder, redact: this.#redact },
      ...{ clock: this.#clock, options: this.#options },
    });
    const outbound = new Outbound({
      ...{ ...shared, trustNewIdentities: this.#options.trustNewIdentities },
      onPartial: (to, problem) => this.#notePartial(to, problem),
    });
    return { ...parts, outbound, intake };
  }

  #notePartial(to: Conversation, problem: PlatformError | null): void {
    if (problem) this.#logger.warn({ chat: to.chatId, reason: problem.message }, "not everybody got a message");
    this.#health.noteUnsent(to, problem);
  }

  /** The people whom the config names by number. */
  #namedNumbers(): string[] {
    const { allowedUsers, operators, homeChannel } = this.#options;
    const home = homeChannel === undefined ? [] : [homeChannel.chatId];
    return [...new Set([...allowedUsers, ...operators, ...home])].filter(isNumber);
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
