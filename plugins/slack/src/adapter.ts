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
import type { SlackOptions } from "./config.ts";
import { type Connection, connect } from "./connect.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import { readNow } from "./missed.ts";
import { LARGEST_FILE } from "./share-file.ts";
import { PLATFORM, placeAt } from "./source.ts";

/** Speaks for Hermes as a Slack app, by socket mode. */
export class SlackAdapter extends ConnectedAdapter<Connection, SlackOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    threads: true,
    // `chat.update` may be called 50 times a minute, by all conversations together ("Rate limits", tier 3).
    edits: { minIntervalMs: 1_500 },
    files: { largest: LARGEST_FILE },
    textLimit: TEXT_LIMIT,
    idempotentSend: false,
    lateRefusal: false,
    mirrors: false,
  };
  override readonly choices = CHOICE_LIMITS;
  override readonly render = render;

  protected override connect(context: AdapterContext): Promise<Connection> {
    return connect(this.deps, context);
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { outbound, catchUp } = this.connection;
    const receipt = await outbound.send(to, piece, options);
    catchUp.follow(placeAt(to.chatId, to.threadId));
    return receipt;
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece, options);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.connection.status.show(at, signal);
  }

  override async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    return this.connection.outbound.findSent(to, key, signal);
  }

  override async readNow(kept: InboundMessage, signal: AbortSignal): Promise<InboundMessage | null | undefined> {
    return readNow(this.connection.past, kept, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { api, self, catchUp } = this.connection;
    const conversation = await homeConversation(api, self, home);
    catchUp.follow(placeAt(conversation.chatId, conversation.threadId));
    return conversation;
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    return peopleAt(this.connection.api, home);
  }

  override async chatName(chat: Conversation): Promise<string | undefined> {
    const { api, directory } = this.connection;
    if (chat.kind !== "dm") return directory.channelName(chat.chatId).then((name) => name && `#${name}`);
    const [person] = (await peopleAt(api, chat)).ids;
    return person === undefined ? undefined : directory.userName(person);
  }

  override async createHandoffThread(
    parentChatId: string,
    name: string,
    options: ThreadOptions,
  ): Promise<HandoffThread> {
    const { threads, catchUp } = this.connection;
    const thread = await threads.create(parentChatId, name, options);
    catchUp.follow(placeAt(parentChatId, thread.conversation.threadId));
    return thread;
  }

  override async findThread(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null> {
    return this.connection.threads.find(home, mark, signal);
  }

  override async deleteThread(thread: HandoffThread, signal: AbortSignal): Promise<void> {
    return this.connection.threads.delete(thread, signal);
  }

  /** Slack keeps what begins with a slash for itself, and its one slash command for Hermes does not work in threads. */
  override typedCommand(command: string): string {
    return `!${command}`;
  }

  override health(): AdapterHealth {
    return this.connected?.socket.health ?? super.health();
  }
}
