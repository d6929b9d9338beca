import { join } from "node:path";
import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  type Conversation,
  type HomeChannel,
  type Piece,
  PLAIN_TEXT_ONLY,
  type PluginDeps,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import type { BinaryNode, WAMessage, WASocket } from "@whiskeysockets/baileys";
import type { WhatsAppOptions } from "../config.ts";
import { notRunning } from "../errors.ts";
import { TEXT_LIMIT } from "../format.ts";
import { masked, toId } from "../ids.ts";
import { People } from "../people.ts";
import { WhatsAppAdapter } from "../whatsapp-adapter.ts";
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
  readonly own: () => readonly string[];
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
    typing: true,
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
    const { connection, people, own } = this.#parts();
    return homeConversation(home, {
      socket: connection.socket,
      people,
      account: this.#deps.options.account,
      own: own(),
    });
  }

  override health(): AdapterHealth {
    return this.#running?.connection.health ?? this.#health;
  }

  #assemble(events: AdapterEvents): Running {
    const { options, folder, clock, logger } = this.#deps;
    const { socketUrl, account } = options;
    const people = new People(folder);
    const sent = new SentMessages(join(folder, "sent.json"), clock);
    const acknowledgements = new Acknowledgements();
    const groups = new GroupNames();
    let ids: readonly string[] = [];
    let current: WASocket | null = null;
    const download = createDownload(socketUrl, logger);
    const reception = new Reception({
      arrivals: new Arrivals(join(folder, "arrivals.jsonl")),
      clock,
      logger,
      isForHermes: (message) => isForHermes(message, { own: ids, notBefore: clock.now() - OLDEST_ANSWERED_MS }),
      handOver: async (wire) => {
        const message = await decode(wire, {
          account,
          own: ids,
          people,
          download,
          notBefore: 0,
          otherIdOf: (id) => otherIdOf(current, id),
          nameOf: (groupId) => groups.get(groupId),
        });
        if (message === null) return;
        const { conversation, sender } = message;
        const known = (sender.aliases ?? []).map(masked);
        logger.debug({ chat: masked(conversation.chatId), sender: masked(sender.id), known }, "a message came");
        if (options.readReceipts) await current?.readMessages([wire.key]).catch(() => {});
        await events.receive(message);
      },
    });
    const keeping = new KeepingRepository(
      () => ({ id: current?.user?.id ?? "", lid: current?.user?.lid ?? "" }),
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
        current = socket;
        ids = idsOf(socket);
        acknowledgements.listen(socket);
        groups.listen(socket);
        socket.ws.on("CB:message", (stanza: BinaryNode) => keeping.note(stanza));
        // What was not decrypted here: the phone has sent it once more.
        socket.ev.on("messages.upsert", ({ messages }: { messages: WAMessage[] }) => {
          for (const message of messages) reception.take(message);
        });
      },
      onOpen: (socket) => {
        ids = idsOf(socket);
        reception.open();
      },
    });
    const outbound = new Outbound({
      socket: () => connection.socket,
      socketUrl,
      acknowledgements,
      sent,
      people,
      clock,
    });
    return { connection, reception, outbound, people, own: () => ids };
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}

/** The account's number, and the id that hides it. */
function idsOf({ user }: WASocket): string[] {
  return [user?.id, user?.lid].flatMap((jid) => (jid ? [toId(jid)] : []));
}

/** The number of an id that hides it, or the other way round, as far as WhatsApp has told. */
async function otherIdOf(socket: WASocket | null, id: string): Promise<string | null> {
  const mapping = socket?.signalRepository.lidMapping;
  const other = id.endsWith("@lid") ? await mapping?.getPNForLID(id) : null;
  return other ? toId(other) : null;
}
