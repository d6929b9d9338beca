import {
  type AdapterContext,
  type AdapterHealth,
  type Capabilities,
  ConnectedAdapter,
  type Conversation,
  type HomeChannel,
  type InboundMessage,
  type PeopleAt,
  type Piece,
  PLAIN_TEXT_ONLY,
  type PluginDeps,
  type Press,
  RecentMap,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import { asCloudOptions, type CloudOptions, type WhatsAppOptions } from "../config.ts";
import { TEXT_LIMIT } from "../format.ts";
import { adoptPeople, People } from "../people.ts";
import { masked, PLATFORM, toId } from "../source.ts";
import { CHOICE_LIMITS, renderWithChoices } from "./choices.ts";
import { DeliveryReports } from "./delivery-reports.ts";
import { GraphClient } from "./graph-client.ts";
import { homeConversation } from "./home.ts";
import { type DecodeContext, receivePayload } from "./inbound.ts";
import { Liveness } from "./liveness.ts";
import { LARGEST_DOCUMENT } from "./media-types.ts";
import { Outbound, registerCommands } from "./outbound.ts";
import { metaWebhooks } from "./receive.ts";

/** The parts that exist while the number is connected. */
interface Connection {
  readonly graph: GraphClient;
  readonly reports: DeliveryReports;
  readonly outbound: Outbound;
  readonly liveness: Liveness;
  readonly decoding: DecodeContext;
}

/** The most people whose last message is remembered, since anybody may write. */
const MOST_LAST_IDS = 1_000;

/** A business number: sends by the Graph API, and receives by webhooks. */
export class CloudAdapter extends ConnectedAdapter<Connection, WhatsAppOptions> {
  override readonly platform = PLATFORM;
  override readonly capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    textLimit: TEXT_LIMIT,
    files: { largest: LARGEST_DOCUMENT },
    lateRefusal: true,
  };
  override readonly choices = CHOICE_LIMITS;
  override readonly render = renderWithChoices;
  readonly #options: CloudOptions;
  /** The id of each person's last message, which “typing…” needs. */
  readonly #lastIds = new RecentMap<string, string>(MOST_LAST_IDS);

  constructor(deps: PluginDeps<WhatsAppOptions>) {
    super(deps);
    this.#options = asCloudOptions(deps.options);
    // The Cloud API shows “typing…” only together with a read receipt.
    if (!this.#options.readReceipts) return;
    this.typing = (at, signal) => this.#showTyping(at, signal);
    this.markRead = (_, messageId, signal) => this.connection.outbound.markRead(messageId, signal);
  }

  protected override async connect(context: AdapterContext): Promise<Connection> {
    const { clock, logger, folder, commands, identities } = this.deps;
    const options = this.#options;
    const { phoneNumberId } = options;
    const graph = new GraphClient(options);
    const askNumber = (signal: AbortSignal) =>
      graph.call<{ readonly display_phone_number?: string }>({
        path: `${phoneNumberId}?fields=display_phone_number,verified_name`,
        signal,
      });
    const { display_phone_number: number = "" } = await askNumber(context.signal);
    await registerCommands(graph, phoneNumberId, commands, logger, context.signal);
    await adoptPeople(folder, identities);
    const people = new People(identities);
    const outbound = new Outbound({ graph, options, people, clock });
    const liveness = new Liveness(clock, askNumber);
    const reports: DeliveryReports = new DeliveryReports({
      clock,
      logger,
      settle: context.settle,
      refusalOf: (status) => outbound.refusalOf(status, reports),
    });
    const media = { graph, phoneNumberId };
    const decoding = { account: options.account, ownNumber: toId(number), people, media };
    const receive = (message: InboundMessage) => this.#receive(message, context);
    const choose = (press: Press, messageId: string) => this.#choose(press, messageId, context);
    const webhooks = metaWebhooks({
      ...options,
      logger,
      async take(payload) {
        liveness.heard();
        await receivePayload(payload, {
          phoneNumberId,
          decoding,
          reports,
          logger,
          receive,
          choose,
          retracted: context.retracted,
        });
      },
      onForged: () => liveness.heardForged(),
    });
    context.onStop(() => webhooks.close());
    context.onStop(() => reports.stop());
    context.onStop(() => liveness.stop());
    await webhooks.open();
    void liveness.watch();
    logger.info({ number: number.slice(-3) }, "the business number is connected");
    return { graph, reports, outbound, liveness, decoding };
  }

  override async send(to: Conversation, piece: Piece, { key, content, signal }: SendOptions): Promise<SendReceipt> {
    const { outbound, reports, liveness } = this.connection;
    const receipt = await outbound.send({ to, piece, key, content }, reports, signal);
    liveness.sent();
    return receipt;
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    const { graph, decoding } = this.connection;
    const conversation = await homeConversation(home, decoding);
    // Throws if nothing can be sent.
    await graph.call({ path: `${this.#options.phoneNumberId}?fields=id` });
    return conversation;
  }

  override async peopleAt({ chatId }: Conversation): Promise<PeopleAt> {
    return this.connection.decoding.people.at(chatId);
  }

  override health(): AdapterHealth {
    return this.connected?.liveness.health ?? super.health();
  }

  async #showTyping({ chatId }: Conversation, signal: AbortSignal): Promise<void> {
    const messageId = this.#lastIds.get(chatId);
    if (messageId !== undefined) await this.connection.outbound.showTyping(messageId, signal);
  }

  async #receive(message: InboundMessage, { receive }: AdapterContext): Promise<void> {
    const { conversation, sender, messageId } = message;
    this.#lastIds.set(conversation.chatId, messageId);
    const known = (sender.aliases ?? []).map(masked);
    this.deps.logger.debug({ chat: masked(conversation.chatId), known }, "a message came");
    await receive(message);
  }

  /** Handles a press, which is a message of its own in the chat, with the id `messageId`; “typing…” marks it as read. */
  async #choose(press: Press, messageId: string, { choose }: AdapterContext): Promise<void> {
    this.#lastIds.set(press.conversation.chatId, messageId);
    await choose(press);
  }
}
