import {
  type AdapterContext,
  type AdapterHealth,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HandoffThread,
  type HomeChannel,
  type InboundMessage,
  type PeopleAt,
  type Piece,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import type { Bot } from "./bot.ts";
import type { MatrixOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import { readNow } from "./inbound.ts";
import { transactionId } from "./outbound.ts";
import { Receiver } from "./receive.ts";
import { PLATFORM } from "./source.ts";
import { findThread, openThread, removeThread } from "./threads.ts";

/** Bytes of the largest file where the homeserver does not say: what Synapse takes unless it is told otherwise. */
const UNSAID_UPLOAD = 50 * 1024 ** 2;

const CAPABILITIES: Omit<Capabilities, "files"> = {
  threads: true,
  // Each edit is an event that stays, and Synapse permits one in five seconds after the first ten.
  edits: { minIntervalMs: 3_000 },
  textLimit: TEXT_LIMIT,
  idempotentSend: true,
  lateRefusal: false,
  mirrors: false,
};

/** What is there while the bot is connected. */
interface Connection {
  /** Has the bot, in whichever session it is. */
  readonly receiver: Receiver;
}

/** Receives by syncing and sends by the client-server API, as one account. */
export class MatrixAdapter extends ConnectedAdapter<Connection, MatrixOptions> {
  override readonly platform = PLATFORM;
  protected override readonly toPlatformError = toPlatformError;
  override readonly render = render;

  /** How large files may be, the homeserver says. */
  override get capabilities(): Capabilities {
    return { ...CAPABILITIES, files: { largest: this.connected?.receiver.largestUpload ?? UNSAID_UPLOAD } };
  }

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const receiver = new Receiver(this.deps, context);
    await receiver.start();
    const { userId: bot, deviceId: device } = receiver.bot;
    this.deps.logger.info({ bot, device }, "the bot receives messages");
    return { receiver };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#bot.outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#bot.outbound.edit(at, messageId, piece, options.key, options.signal);
  }

  override async readNow(
    { conversation, messageId }: InboundMessage,
    signal: AbortSignal,
  ): Promise<InboundMessage | null | undefined> {
    const bot = this.#bot;
    return readNow(bot.rooms.current(conversation.chatId), messageId, bot, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.#bot.outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    return homeConversation(this.#bot, home);
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(this.#bot, home);
  }

  override async chatName(chat: Conversation): Promise<string | undefined> {
    const { rooms, nameOf } = this.#bot;
    const name = rooms.get(chat.chatId)?.name;
    if (name !== undefined || chat.kind !== "dm") return name;
    const [person] = (await peopleAt(this.#bot, chat)).ids;
    return person === undefined ? undefined : nameOf(person);
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    { mark, signal }: ThreadOptions,
  ): Promise<HandoffThread> {
    return openThread(this.#bot, parentChatId, name, mark, signal);
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    const bot = this.#bot;
    const { chatId } = await homeConversation(bot, home);
    return findThread(bot, chatId, mark, signal);
  }

  override async deleteThread({ conversation }: HandoffThread): Promise<void> {
    return removeThread(this.#bot, conversation);
  }

  /** "Redactions": what others wrote takes the power to redact, which a bot has where a moderator gave it. */
  override async deleteMessage({ chatId }: Conversation, messageId: string): Promise<void> {
    const { api, rooms } = this.#bot;
    await api.redact(rooms.current(chatId), messageId, transactionId("redact", messageId));
  }

  /** Apps keep what begins with a slash for themselves. */
  override typedCommand(command: string): string {
    return `!${command}`;
  }

  override health(): AdapterHealth {
    const health = super.health();
    const problem = health.state === "up" ? (this.connected?.receiver.unreadable ?? null) : null;
    return problem === null ? health : { state: "degraded", detail: problem };
  }

  get #bot(): Bot {
    return this.connection.receiver.bot;
  }
}
