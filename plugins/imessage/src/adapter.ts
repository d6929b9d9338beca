import {
  type AdapterContext,
  type AdapterHealth,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HomeChannel,
  type InboundMessage,
  LateReports,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type PluginDeps,
  reasonOf,
  type SendOptions,
  type SendReceipt,
  SentLog,
} from "@hermes/core";
import { Api } from "./api.ts";
import { CHOICE_LIMITS } from "./choices.ts";
import type { IMessageOptions } from "./config.ts";
import type { ConnectionParts } from "./connection.ts";
import { Directory } from "./directory.ts";
import { toPlatformError } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import { decode } from "./inbound.ts";
import { Liveness } from "./liveness.ts";
import { Outbound } from "./outbound.ts";
import { Receiver } from "./receive.ts";
import { fateOf, type Note } from "./sent.ts";
import { isSmsId, PLATFORM } from "./source.ts";

/** What is there while the server answers. */
interface Connection extends ConnectionParts {
  readonly outbound: Outbound;
  readonly receiver: Receiver;
}

/** Bytes; Messages takes larger files only now and then ("Attachments"). */
const LARGEST_FILE = 100_000_000;

/** When a sent message is read again, in milliseconds: of a late failure nobody tells otherwise. */
const READ_AFTER_MS = [5_000, 60_000];

/** A message can be changed for 15 minutes ("Edit messages on Mac"); the last one needs some time. */
const EDITS = { minIntervalMs: 5_000, forMs: 14 * 60_000 } as const;

/**
 * Receives and sends by a BlueBubbles server as the account on its Mac. Messages has no threads: a handoff lands in the
 * home channel itself. What the server's Private API does, to type, to edit and to mark as read, the adapter is able to
 * do where that is on when it connects.
 */
export class IMessageAdapter extends ConnectedAdapter<Connection, IMessageOptions> {
  override readonly platform = PLATFORM;
  override readonly choices = CHOICE_LIMITS;
  override readonly render = render;
  protected override readonly toPlatformError = toPlatformError;

  constructor(deps: PluginDeps<IMessageOptions>) {
    super(deps);
    this.#enable(false);
  }

  override get capabilities(): Capabilities {
    return {
      ...PLAIN_TEXT_ONLY,
      edits: this.edit === undefined ? false : EDITS,
      files: { largest: LARGEST_FILE },
      textLimit: TEXT_LIMIT,
      lateRefusal: true,
    };
  }

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const { options, folder, clock, logger } = this.deps;
    const { signal, settle, onStop } = context;
    const api = new Api(options, this.deps);
    const directory = new Directory({ ...this.deps, api });
    const liveness = new Liveness();
    const info = await api.info(signal);
    directory.learn(info);
    // An earlier version took the addresses of one card in the Mac's contacts for one person's.
    await this.deps.identities.part();
    liveness.learn(info);
    this.#enable(liveness.hasPrivateApi);
    // A line that a power cut took would make Hermes' words a note of its owner's.
    const sent = new SentLog<Note>({ folder, clock, isDurable: true });
    onStop(() => sent.close());
    const read = async (guid: string) => fateOf(await api.message(guid, signal));
    const reports = new LateReports({ clock, logger, settle, look: { afterMs: READ_AFTER_MS, read, log: sent } });
    onStop(() => reports.stop());
    const parts = { deps: this.deps, api, directory, sent, reports, liveness };
    const outbound = new Outbound(parts);
    const receiver = new Receiver(parts, context);
    await receiver.start();
    reports.takeUp();
    const { server_version: version, os_version: system } = info;
    logger.info({ version, system, privateApi: liveness.hasPrivateApi }, "the BlueBubbles server is connected");
    return { ...parts, outbound, receiver };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    void this.#markRead(to, options.signal);
    return this.connection.outbound.send(to, piece, options);
  }

  /** One that is not there was deleted on the Mac, which its writer need not know of. */
  override async readNow(
    { messageId }: InboundMessage,
    signal: AbortSignal,
  ): Promise<InboundMessage | null | undefined> {
    const decoded = await decode(await this.connection.api.message(messageId, signal), this.connection);
    if (decoded?.kind === "retraction") return null;
    return decoded?.kind === "message" ? decoded.message : undefined;
  }

  override async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    return this.connection.outbound.findSent(to, key, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    return homeConversation(home, { ...this.deps, directory: this.connection.directory });
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(home, this.connection.directory);
  }

  override async chatName({ chatId, kind }: Conversation): Promise<string | undefined> {
    const { directory } = this.connection;
    if (kind === "dm") return directory.nameOf(chatId);
    return (await directory.chat({ chatId, kind })).displayName || undefined;
  }

  override health(): AdapterHealth {
    const health = super.health();
    const { liveness, receiver } = this.connected ?? {};
    return health.state === "up" ? (liveness?.health(receiver?.history.isDeaf ?? false) ?? health) : health;
  }

  /** Only the Private API edits and shows that somebody types. */
  #enable(hasPrivateApi: boolean): void {
    const { edits } = this.deps.options;
    const typing = async (at: Conversation, signal: AbortSignal) => {
      await this.#markRead(at, signal);
      await this.connection.outbound.show("typing", at, signal);
    };
    const edit = (at: Conversation, messageId: string, piece: Piece, options: SendOptions) =>
      this.connection.outbound.edit(at, messageId, piece, options);
    Object.assign(this, {
      typing: hasPrivateApi ? typing : undefined,
      edit: hasPrivateApi && edits ? edit : undefined,
    });
  }

  /** Shows that messages were read: to those who get an answer. A stranger would learn that somebody is there. */
  async #markRead(at: Conversation, signal: AbortSignal): Promise<void> {
    if (!this.deps.options.readReceipts || this.typing === undefined || isSmsId(at.chatId)) return;
    await this.connected?.outbound.show("read", at, signal).catch((error: unknown) => {
      this.deps.logger.debug({ reason: reasonOf(error) }, "a message could not be marked as read");
    });
  }
}
