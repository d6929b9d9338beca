import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  type Conversation,
  type HomeChannel,
  type InboundMessage,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  PlatformError,
  type PluginDeps,
  RecentMap,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import { asCloudOptions, type CloudOptions, type WhatsAppOptions } from "../config.ts";
import { notRunning } from "../errors.ts";
import { TEXT_LIMIT } from "../format.ts";
import { masked, toId } from "../ids.ts";
import { adoptPeople, People } from "../people.ts";
import { WhatsAppAdapter } from "../whatsapp-adapter.ts";
import { Media } from "./attachments.ts";
import { registerCommands } from "./commands.ts";
import { DeliveryReports } from "./delivery-reports.ts";
import { GraphClient } from "./graph-client.ts";
import { homeConversation } from "./home.ts";
import { type DecodeContext, decode } from "./inbound.ts";
import { Liveness } from "./liveness.ts";
import { Outbound } from "./outbound.ts";
import { WebhookServer } from "./webhook-server.ts";
import { listIn, valuesFor, type WebhookPayload, type WebhookValue, type WireMessage } from "./wire.ts";

/** What is there between `start` and `stop`. */
interface Running {
  readonly graph: GraphClient;
  readonly server: WebhookServer;
  readonly reports: DeliveryReports;
  readonly outbound: Outbound;
  readonly liveness: Liveness;
  readonly decoding: DecodeContext;
}

/** How many people are remembered with what they wrote last: anybody may write. */
const MOST_LAST_IDS = 1_000;

/** A business number: sends by the Graph API, and receives by webhooks. */
export class CloudAdapter extends WhatsAppAdapter {
  override readonly capabilities: Capabilities;
  readonly #options: CloudOptions;
  readonly #deps: PluginDeps<WhatsAppOptions>;
  /** What each person wrote last: “typing…” is shown beside a message. */
  readonly #lastIds = new RecentMap<string, string>(MOST_LAST_IDS);
  #running: Running | null = null;
  #health: AdapterHealth = { state: "starting" };

  constructor(deps: PluginDeps<WhatsAppOptions>) {
    super();
    this.#deps = deps;
    this.#options = asCloudOptions(deps.options);
    const { readReceipts } = this.#options;
    // The Cloud API shows “typing…” only together with the sign that the message was read.
    if (readReceipts) this.typing = (at, signal) => this.#showTyping(at, signal);
    this.capabilities = {
      ...PLAIN_TEXT_ONLY,
      textLimit: TEXT_LIMIT,
      files: true,
      lateRefusal: true,
    };
    deps.scope.onDispose(() => this.stop());
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    try {
      this.#running = await this.#connect(events, signal);
      signal.throwIfAborted();
      signal.addEventListener("abort", () => void this.stop(), { once: true });
    } catch (error) {
      await this.stop();
      if (error instanceof PlatformError) this.#health = { state: "down", detail: `${error.message} ${error.hint}` };
      throw error;
    }
  }

  async #connect(events: AdapterEvents, signal: AbortSignal): Promise<Running> {
    const { clock, logger, folder, commands, identities } = this.#deps;
    const options = this.#options;
    const graph = new GraphClient(options);
    const askNumber = (until: AbortSignal) =>
      graph.call<{ readonly display_phone_number?: string }>({
        path: `${options.phoneNumberId}?fields=display_phone_number,verified_name`,
        signal: until,
      });
    const { display_phone_number: number = "" } = await askNumber(signal);
    await registerCommands(graph, options.phoneNumberId, commands, logger, signal);
    await adoptPeople(folder, identities);
    const people = new People(identities);
    const outbound = new Outbound({ graph, options, people, clock, logger });
    const liveness = new Liveness(clock, askNumber);
    const reports: DeliveryReports = new DeliveryReports({
      clock,
      settle: (messageId, refusal) => events.settle(messageId, refusal),
      refusalOf: (status) => outbound.refusalOf(status, reports),
    });
    const server = new WebhookServer({
      ...options,
      logger,
      take: async (payload) => {
        liveness.heard();
        await this.#take(payload, events);
      },
      onForged: () => liveness.heardForged(),
    });
    const decoding = {
      account: options.account,
      ownNumber: toId(number),
      people,
      media: new Media(graph, options.phoneNumberId, logger),
    };
    const running = { graph, server, reports, outbound, liveness, decoding };
    // A webhook may come before this is over, and finds everything in its place.
    this.#running = running;
    await server.listen();
    liveness.watch();
    logger.info({ number: number.slice(-3) }, "the business number is connected");
    return running;
  }

  override async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    this.#health = { state: "down", detail: "The plugin was stopped." };
    running?.liveness.stop();
    running?.reports.stop();
    await running?.server.close();
  }

  override async send(to: Conversation, piece: Piece, { key, signal }: SendOptions): Promise<SendReceipt> {
    const { outbound, reports, liveness } = this.#parts();
    const receipt = await outbound.send({ to, piece, key }, reports, signal);
    liveness.sent();
    return receipt;
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { graph, decoding } = this.#parts();
    const conversation = await homeConversation(home, decoding);
    // Whether anything can be sent to it.
    await graph.call({ path: `${this.#options.phoneNumberId}?fields=id` });
    return conversation;
  }

  override async peopleAt({ chatId }: Conversation): Promise<PeopleAt> {
    return this.#parts().decoding.people.at(chatId);
  }

  override health(): AdapterHealth {
    return this.#running?.liveness.health ?? this.#health;
  }

  async #showTyping({ chatId }: Conversation, signal: AbortSignal): Promise<void> {
    const messageId = this.#lastIds.get(chatId);
    if (messageId !== undefined) await this.#parts().outbound.showTyping(messageId, signal);
  }

  /** Resolves once Hermes has kept all of it. */
  async #take(payload: WebhookPayload, events: AdapterEvents): Promise<void> {
    const { decoding, reports } = this.#parts();
    for (const value of valuesFor(this.#options.phoneNumberId, payload)) {
      for (const status of listIn(value.statuses)) await reports.take(status);
      for (const wire of listIn(value.messages)) {
        const message = await this.#read(wire, value, decoding);
        if (message !== null) await this.#handOver(message, events);
      }
    }
  }

  /** One that cannot be read never can be: Meta would send it for days, and with it what came in the same webhook. */
  async #read(wire: WireMessage, value: WebhookValue, decoding: DecodeContext): Promise<InboundMessage | null> {
    try {
      return await decode(wire, value, decoding);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.#deps.logger.error({ error }, "a message cannot be read; it is passed over");
      return null;
    }
  }

  async #handOver(message: InboundMessage, events: AdapterEvents): Promise<void> {
    const { conversation, sender, messageId } = message;
    this.#lastIds.set(conversation.chatId, messageId);
    const known = (sender.aliases ?? []).map(masked);
    this.#deps.logger.debug({ chat: masked(conversation.chatId), known }, "a message came");
    await events.receive(message);
  }

  #parts(): Running {
    if (this.#running === null) throw notRunning();
    return this.#running;
  }
}
