import {
  type AdapterContext,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  // #if threads
  type HandoffThread,
  // #end
  type HomeChannel,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type SendOptions,
  type SendReceipt,
  // #if threads
  type ThreadOptions,
  // #end
} from "@hermes/core";
import { type Connection, openApi, readChat } from "./api.ts";
import type { AcmeOptions } from "./config.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation, peopleAt } from "./home.ts";
import * as outbound from "./outbound.ts";
import { receiveMessages } from "./receive.polling.ts";
import { PLATFORM } from "./source.ts";
// #if threads
import * as threads from "./threads.ts";
// #end

/** Acme, as Hermes sees it. What it is able to do are the methods that it has. */
export class AcmeAdapter extends ConnectedAdapter<Connection, AcmeOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    textLimit: TEXT_LIMIT,
    // #if threads
    threads: true,
    // #end
    // #if edits
    edits: { minIntervalMs: 1_000 },
    // #end
  };
  override readonly render = render;

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const api = openApi(this.deps.options);
    // A wrong token fails the start, with its reason.
    const { id: ownId } = (await api.call({ path: "me", signal: context.signal })) as { readonly id: string };
    const connection = { api, ownId, deps: this.deps };
    await receiveMessages(connection, context);
    return connection;
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return outbound.sendMessage(this.connection, to, piece, options);
  }
  // #if edits

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return outbound.editMessage(this.connection, at, messageId, piece, options);
  }
  // #end

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    return homeConversation(this.connection, home);
  }

  override async peopleAt(chat: Conversation): Promise<PeopleAt> {
    return peopleAt(this.connection, chat);
  }

  override async chatName({ chatId }: Conversation): Promise<string | undefined> {
    return (await readChat(this.connection, chatId)).name;
  }
  // #if threads

  override async createHandoffThread(chatId: string, name: string, { signal }: ThreadOptions) {
    return threads.openThread(this.connection, chatId, name, signal);
  }

  override async deleteThread(thread: HandoffThread, signal: AbortSignal): Promise<void> {
    return threads.removeThread(this.connection, thread, signal);
  }
  // #end
}
