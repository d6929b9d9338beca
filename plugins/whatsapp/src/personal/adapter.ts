import { join } from "node:path";
import {
  type AdapterContext,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HomeChannel,
  type InboundMessage,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import type { WAMessage } from "@whiskeysockets/baileys";
import type { WhatsAppOptions } from "../config.ts";
import { render, TEXT_LIMIT } from "../format.ts";
import { adoptPeople, People } from "../people.ts";
import { masked, PLATFORM } from "../source.ts";
import { Account } from "./account.ts";
import { Arrivals } from "./arrivals.ts";
import { downloadsFrom } from "./attachments.ts";
import { homeConversation } from "./home.ts";
import { type DecodeContext, decode, isForHermes, retractionIn } from "./inbound.ts";
import { Intake } from "./intake.ts";
import { KeepingRepository } from "./keeping-repository.ts";
import { Acknowledgements, Outbound, SentMessages } from "./outbound.ts";
import { LinkedDevice } from "./receive.ts";
import { LARGEST_FILE } from "./upload-file.ts";

/** The parts that exist while the device is connected. */
interface Connection {
  readonly device: LinkedDevice;
  readonly outbound: Outbound;
  readonly people: People;
  readonly account: Account;
}

/** The greatest age of a message that is still answered, in milliseconds. */
const OLDEST_ANSWERED_MS = 7 * 24 * 60 * 60_000;

/** A number of the user's own, as a linked device beside the phone. */
export class PersonalAdapter extends ConnectedAdapter<Connection, WhatsAppOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    textLimit: TEXT_LIMIT,
    // Each edit is sent as a message to every device in the chat.
    edits: { minIntervalMs: 2_000 },
    files: { largest: LARGEST_FILE },
    idempotentSend: true,
  };
  override readonly render = render;

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const { options, folder, clock, logger, identities } = this.deps;
    const { socketUrl } = options;
    await adoptPeople(folder, identities);
    const account = new Account();
    const people = new People(identities);
    const sent = new SentMessages(join(folder, "sent.json"), clock);
    const acknowledgements = new Acknowledgements();
    const intake = this.#intakeFor(account, people, context);
    context.onStop(() => intake.stop());
    const keeping = new KeepingRepository(
      () => account.jids,
      (message) => intake.keep(message),
    );
    const device = new LinkedDevice({
      options,
      folder,
      clock,
      logger,
      makeSignalRepository: (store) => keeping.makeFor(store),
      sent: (id) => sent.content(id),
      onSocket: (socket) => {
        for (const one of [account, acknowledgements, keeping, intake]) one.listen(socket);
      },
      holdsAccount: context.holdsAccount,
      room: () => intake.room(),
      onOpen: () => intake.open(),
    });
    await device.connect(context);
    const outbound = new Outbound({ socket: () => device.socket, socketUrl, acknowledgements, sent, people, clock });
    return { device, outbound, people, account };
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.connection.outbound.edit(at, messageId, piece, options);
  }

  override async typing(at: Conversation): Promise<void> {
    return this.connection.outbound.typing(at);
  }

  override async markRead(_: Conversation, messageId: string): Promise<void> {
    if (this.deps.options.readReceipts) await this.connection.account.markRead(messageId);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { device, people, account } = this.connection;
    const { options } = this.deps;
    return homeConversation(home, { socket: device.socket, people, account: options.account, own: account.ids });
  }

  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return kind === "dm" ? this.connection.people.at(chatId) : { ids: [], isFixed: false };
  }

  override async chatName({ chatId, kind }: Conversation): Promise<string | undefined> {
    if (kind === "dm") return undefined;
    const { account, device } = this.connection;
    return account.groupName(chatId) ?? (await device.socket.groupMetadata(chatId)).subject;
  }

  #intakeFor(account: Account, people: People, { receive, retracted }: AdapterContext): Intake {
    const { options, folder, redact, clock, logger } = this.deps;
    const downloadOf = downloadsFrom(options.socketUrl);
    const contextOf = (): DecodeContext => ({
      account: options.account,
      own: account.ids,
      people,
      downloadOf,
      numberOf: (id) => account.numberOf(id),
      nameOf: (groupId) => account.groupName(groupId),
    });
    const read = async (wire: WAMessage): Promise<InboundMessage | null> => {
      const retraction = await retractionIn(wire, contextOf());
      if (retraction !== null) {
        await retracted(retraction.at, retraction.messageId, retraction.by);
        return null;
      }
      const message = await decode(wire, contextOf());
      if (message === null) return null;
      const { conversation, sender } = message;
      const known = (sender.aliases ?? []).map(masked);
      logger.debug({ chat: masked(conversation.chatId), sender: masked(sender.id), known }, "a message came");
      account.noteKey(message.messageId, wire.key);
      return message;
    };
    return new Intake({
      arrivals: new Arrivals(join(folder, "arrivals.jsonl"), redact),
      clock,
      logger,
      isForHermes: (wire) => isForHermes(wire, { own: account.ids, notBefore: clock.now() - OLDEST_ANSWERED_MS }),
      read,
      receive,
    });
  }
}
