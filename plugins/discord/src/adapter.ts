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
import { CHOICE_LIMITS } from "./choices.ts";
import type { DiscordOptions } from "./config.ts";
import { type Connection, connect } from "./connect.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, nameOfChat, peopleAt } from "./home.ts";
import { channelIdOf, isForum, PLATFORM } from "./source.ts";
import { uploadLimit } from "./uploads.ts";

/** Discord allows five changes of messages in five seconds for a channel; other messages need some of them, too. */
const EDIT_EVERY_MS = 1_500;

/** Speaks to Discord through a bot: by its gateway to listen, and by its API for everything else. */
export class DiscordAdapter extends ConnectedAdapter<Connection, DiscordOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    edits: { minIntervalMs: EDIT_EVERY_MS },
    files: uploadLimit(() => this.connected?.client),
    textLimit: TEXT_LIMIT,
    idempotentSend: true,
    lateRefusal: false,
    mirrors: false,
  };
  override readonly render = render;
  override readonly choices = CHOICE_LIMITS;

  protected override connect(context: AdapterContext): Promise<Connection> {
    return connect(this.deps, context);
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { outbound, threads, channels } = this.connection;
    const channel = channels.known(to.chatId);
    // Discord would say so, too, and would not know why there is no post.
    if (channel && !this.takesMessages(to)) throw threads.noPostIn(channel);
    return outbound.send(to, piece, options);
  }

  /** A forum holds posts only. */
  override takesMessages({ chatId, threadId }: Conversation): boolean {
    const channel = this.connection.channels.known(chatId);
    return threadId !== undefined || !channel || !isForum(channel);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece, options);
  }

  override async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    return this.connection.outbound.findSent(to, key, signal);
  }

  override async readNow(kept: InboundMessage, signal: AbortSignal): Promise<InboundMessage | null | undefined> {
    return this.connection.readNow(kept, signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    await this.connection.outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const parts = this.connection;
    const conversation = await homeConversation(home, parts);
    // What is written there while nobody listens is wanted, also before anything else is.
    if (this.takesMessages(conversation)) parts.catchUp.follow(channelIdOf(conversation));
    return conversation;
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(home, this.connection);
  }

  override async chatName(chat: Conversation): Promise<string | undefined> {
    return nameOfChat(chat, this.connection);
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread | null> {
    return this.connection.threads.open(parentChatId, name, options);
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    const { threads, channels } = this.connection;
    const { kind, chatId, threadId } = await this.homeConversation(home);
    if (kind === "dm" || threadId !== undefined) return null;
    return threads.find(await channels.get(chatId, signal), mark, signal);
  }

  override async deleteThread({ conversation }: HandoffThread, signal: AbortSignal): Promise<void> {
    const { threads } = this.connection;
    const { chatId, threadId } = conversation;
    // A home that is a thread itself was there before, and stays.
    if (threadId === undefined || threadId === this.deps.options.homeChannel?.chatId) return;
    await threads.remove(chatId, threadId, signal);
  }

  override health(): AdapterHealth {
    return this.connected?.gateway.health ?? super.health();
  }
}
