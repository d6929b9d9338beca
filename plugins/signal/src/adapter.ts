import {
  type AdapterContext,
  type AdapterHealth,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HomeChannel,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import { type Account, openAccount } from "./account.ts";
import { LARGEST_FILE } from "./attachment.ts";
import type { SignalOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";
import { render, TEXT_LIMIT } from "./format.ts";
import { homeConversation } from "./home.ts";
import { Outbound } from "./outbound.ts";
import { Receiver } from "./receive.ts";
import { PLATFORM } from "./source.ts";

/** What is there while signal-cli is connected. */
interface Connection {
  readonly account: Account;
  readonly outbound: Outbound;
}

/** Receives and sends as one account of signal-cli. Signal has no threads: a handoff lands in the home channel itself. */
export class SignalAdapter extends ConnectedAdapter<Connection, SignalOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    // Each edit is a message to everybody, and stays in the history of the edited one.
    edits: { minIntervalMs: 5_000 },
    files: { largest: LARGEST_FILE },
    textLimit: TEXT_LIMIT,
  };
  protected override readonly toPlatformError = toPlatformError;
  override readonly render = render;

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const account = await openAccount(this.deps, context.signal);
    context.signal.throwIfAborted();
    await new Receiver(account, context).start(context);
    const { version, self, logger } = account;
    logger.info({ version, account: self.number ?? self.uuid }, "signal-cli hands messages on");
    return { account, outbound: new Outbound(account) };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece, options.key, options.signal);
  }

  override async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    return this.connection.outbound.typing(at, signal);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    try {
      return await homeConversation(this.connection.account, home);
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return { ids: kind === "dm" ? [chatId] : [], isFixed: kind === "dm" };
  }

  override async chatName({ chatId, kind }: Conversation): Promise<string | undefined> {
    const { directory, self } = this.connection.account;
    if (kind !== "dm") return (await directory.group(chatId)).name;
    // Notes to oneself bear the account's own name, and are no chat with anybody. Which chat that is may not be known yet.
    return self.uuid === null || self.isAny(chatId) ? undefined : ((await directory.person(chatId))?.name ?? undefined);
  }

  override health(): AdapterHealth {
    return this.connected?.account.problems.over(super.health()) ?? super.health();
  }
}
