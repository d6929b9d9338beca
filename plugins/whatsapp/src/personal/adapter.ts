import { join } from "node:path";
import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  type Conversation,
  type HomeChannel,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type PluginDeps,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import type { WhatsAppOptions } from "../config.ts";
import { notRunning } from "../errors.ts";
import { TEXT_LIMIT } from "../format.ts";
import { masked } from "../ids.ts";
import { adoptPeople, People } from "../people.ts";
import { WhatsAppAdapter } from "../whatsapp-adapter.ts";
import { Account } from "./account.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { Arrivals } from "./arrivals.ts";
import { createDownload } from "./attachments.ts";
import { Connection } from "./connection.ts";
import { GroupNames } from "./group-names.ts";
import { homeConversation } from "./home.ts";
import { decode, isForHermes } from "./inbound.ts";
import { KeepingRepository } from "./keeping-repository.ts";
import { Outbound } from "./outbound.ts";
import { Reception } from "./reception.ts";
import { SentMessages } from "./sent-messages.ts";

/** What is there between `start` and `stop`. */
interface Running {
  readonly connection: Connection;
  readonly reception: Reception;
  readonly outbound: Outbound;
  readonly people: People;
  readonly account: Account;
}

/** Nothing older is answered, in milliseconds: whoever waited that long has long gone on. */
const OLDEST_ANSWERED_MS = 7 * 24 * 60 * 60_000;

/** A number of the user's own, as a linked device beside the phone. */
export class PersonalAdapter extends WhatsAppAdapter {
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    textLimit: TEXT_LIMIT,
    // Each change is a message to every device in the chat.
    edits: { minIntervalMs: 2_000 },
    files: true,
    idempotentSend: true,
  };
  readonly #deps: PluginDeps<WhatsAppOptions>;
  #running: Running | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(deps: PluginDeps<WhatsAppOptions>) {
    super();
    this.#deps = deps;
    deps.scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const running = this.#assemble(events);
    this.#running = running;
    signal.addEventListener("abort", () => void this.stop(), { once: true });
    try {
      await adoptPeople(this.#deps.folder, this.#deps.identities);
      await running.connection.start();
      signal.throwIfAborted();
    } catch (error) {
      const { health } = running.connection;
      await this.stop();
      this.#health = health;
      throw error;
    }
  }

  override async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#health = { state: "down", detail: "The plugin was stopped." };
    await running?.connection.stop();
    running?.reception.stop();
  }

  override async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.send(to, piece, options);
  }

  override async edit(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    return this.#parts().outbound.edit(at, messageId, piece, options);
  }

  override async typing(at: Conversation): Promise<void> {
    return this.#parts().outbound.typing(at);
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { connection, people, account } = this.#parts();
    const { options } = this.#deps;
    return homeConversation(home, { socket: connection.socket, people, account: options.account, own: account.ids });
  }

  override async peopleAt({ chatId, kind }: Conversation): Promise<PeopleAt> {
    return kind === "dm" ? this.#parts().people.at(chatId) : { ids: [], isFixed: false };
  }

  override health(): AdapterHealth {
    return this.#running?.connection.health ?? this.#health;
  }

  #assemble(events: AdapterEvents): Running {
    const { options, folder, clock, logger, identities } = this.#deps;
    const { socketUrl } = options;
    const account = new Account();
    const people = new People(identities);
    const sent = new SentMessages(join(folder, "sent.json"), clock);
    const acknowledgements = new Acknowledgements();
    const groups = new GroupNames();
    const reception = this.#receiveInto(events, { account, people, groups });
    const keeping = new KeepingRepository(
      () => account.jids,
      (message) => reception.keep(message),
    );
    const connection = new Connection({
      options,
      folder,
      clock,
      logger,
      makeSignalRepository: (store) => keeping.makeFor(store),
      sent: (id) => sent.content(id),
      onSocket: (socket) => {
        for (const one of [account, acknowledgements, groups, keeping, reception]) one.listen(socket);
      },
      holdsAccount: async () => (await events.holdsAccount?.()) ?? true,
      onOpen: () => reception.open(),
    });
    const socket = () => connection.socket;
    const outbound = new Outbound({ socket, socketUrl, acknowledgements, sent, people, clock });
    return { connection, reception, outbound, people, account };
  }

  #receiveInto(
    events: AdapterEvents,
    { account, people, groups }: { readonly account: Account; readonly people: People; readonly groups: GroupNames },
  ): Reception {
    const { options, folder, redact, clock, logger } = this.#deps;
    const download = createDownload(options.socketUrl, logger);
    return new Reception({
      arrivals: new Arrivals(join(folder, "arrivals.jsonl"), redact),
      clock,
      logger,
      isForHermes: (wire) => isForHermes(wire, { own: account.ids, notBefore: clock.now() - OLDEST_ANSWERED_MS }),
      read: (wire) =>
        decode(wire, {
          account: options.account,
          own: account.ids,
          people,
          download,
          numberOf: (id) => account.numberOf(id),
          nameOf: (groupId) => groups.get(groupId),
        }),
      handOver: async (message, wire) => {
        const { conversation, sender } = message;
        const known = (sender.aliases ?? []).map(masked);
        logger.debug({ chat: masked(conversation.chatId), sender: masked(sender.id), known }, "a message came");
        if (options.readReceipts) await account.markRead(wire.key);
        await events.receive(message);
      },
    });
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
