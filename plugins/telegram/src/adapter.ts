import {
  type AdapterContext,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HandoffThread,
  type HomeChannel,
  type PeopleAt,
  type Piece,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import { type Bot, inChat, openBot } from "./bot-api.ts";
import { CHOICE_LIMITS } from "./choices.ts";
import { registerCommands } from "./commands.ts";
import type { TelegramOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation } from "./home.ts";
import { Outbound } from "./outbound.ts";
import { receiveUpdates } from "./receive.ts";
import { nameOf, PLATFORM } from "./source.ts";
import { openTopic, removeTopic } from "./threads.ts";

/** Exists while the bot is connected. */
interface Connection {
  readonly bot: Bot;
  readonly outbound: Outbound;
}

/** Receives by long polling and sends by the Bot API, as one bot. */
export class TelegramAdapter extends ConnectedAdapter<Connection, TelegramOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    // "My bot is hitting limits": about one message a second in a chat.
    edits: { minIntervalMs: 1_000 },
    files: { largest: 50 * 1024 ** 2 },
    textLimit: TEXT_LIMIT,
    idempotentSend: false,
    lateRefusal: false,
    mirrors: false,
  };
  protected override readonly toPlatformError = toPlatformError;
  override readonly render = render;
  override readonly choices = CHOICE_LIMITS;

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const { commands, logger } = this.deps;
    const bot = await openBot(this.deps, context);
    await registerCommands(bot.api, commands, logger, context.signal);
    context.signal.throwIfAborted();
    await receiveUpdates(bot, this.deps, context);
    logger.info({ health: this.health().state }, "the bot is connected");
    return { bot, outbound: new Outbound(bot, this.deps.clock) };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece, options.signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.connection.outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    return homeConversation(this.connection.bot, home);
  }

  /** A private chat has the id of the person. */
  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return { ids: kind === "dm" ? [chatId] : [], isFixed: kind === "dm" };
  }

  override async chatName({ chatId }: Conversation): Promise<string | undefined> {
    const { bot } = this.connection;
    return nameOf(await inChat(bot, chatId, (id) => bot.api.getChat(id)));
  }

  override async createHandoffThread(chatId: string, name: string, { signal }: ThreadOptions): Promise<HandoffThread> {
    return openTopic(this.connection.bot, chatId, name, signal);
  }

  override async deleteThread({ conversation }: HandoffThread): Promise<void> {
    return removeTopic(this.connection.bot, conversation);
  }

  /** "deleteMessage": in private chats what people wrote too, for 48 hours; in groups with the right to delete messages. */
  override async deleteMessage({ chatId }: Conversation, messageId: string, signal: AbortSignal): Promise<void> {
    return this.connection.outbound.delete(chatId, messageId, signal);
  }
}
