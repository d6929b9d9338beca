import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  CannotEmulate,
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPlace,
  type EmulatedPress,
  type EmulatedRetraction,
  type EmulatedThread,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { type ApiContext, tellThreadGone } from "./api.ts";
import { shownFile } from "./attachments.ts";
import { Deliveries } from "./deliveries.ts";
import { FAILURES } from "./failures.ts";
import { EmulatedGateway, INTENT } from "./gateway.ts";
import { answerRequest } from "./http-api.ts";
import { type InteractionAnswer, Interactions } from "./interactions.ts";
import { linksIn, notifiedBy, plainText } from "./messages.ts";
import { channelPayload, guildPayload } from "./payloads.ts";
import { RIGHTS, type Right } from "./rights.ts";
import {
  BOT,
  CHANNEL,
  type ChannelRecord,
  createWorld,
  isThread,
  KIND,
  type MessageRecord,
  PERSON,
  threadsIn,
  type World,
} from "./world.ts";
import { ANY_INTENT, type DiscordInbound, personIn, setArchived, write } from "./writing.ts";

/** A token that the emulator accepts; it has the form of one, and is none. */
const TOKEN = "emulated-bot-token.not-a-real-one.0123456789abcdef";

/** The types of message that people see as messages: written, and written as a reply. */
const WRITTEN = [0, 19];

/** Discord with one server and one bot, on this machine. */
export class DiscordEmulator extends EmulatorBase {
  readonly platform = "discord";
  /** What the server holds, and its connections, for tests that need more than this class offers. */
  readonly world: World;
  readonly gateway: EmulatedGateway;
  readonly #api: ApiContext;
  readonly #deliveries: Deliveries;

  private constructor({ clock }: EmulatorOptions) {
    super({ clock, failures: FAILURES, secrets: [TOKEN] });
    const gatewayUrl = () => `${this.url.replace("http:", "ws:")}/gateway`;
    this.world = createWorld(this.clock);
    this.gateway = new EmulatedGateway(this.world, gatewayUrl, TOKEN);
    this.#deliveries = new Deliveries(this.script, this.gateway);
    this.#api = {
      world: this.world,
      interactions: new Interactions(this.world),
      baseUrl: () => this.url,
      gatewayUrl,
      tell: (event, payload, intent) => this.gateway.dispatch(event, payload, intent),
    };
  }

  static start(options: EmulatorOptions = {}): Promise<DiscordEmulator> {
    return new DiscordEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { script, requests } = this;
    return answerRequest({ api: this.#api, gateway: this.gateway, script, requests, token: TOKEN }, request, response);
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.gateway.upgrade(request, socket, head);
  }

  protected override disconnect(): void {
    this.gateway.cut();
  }

  protected override stop(): void {
    this.gateway.close();
  }

  get options(): Readonly<Record<string, unknown>> {
    return { token: TOKEN, apiUrl: this.url };
  }

  get chats(): readonly EmulatedChat[] {
    const kinds: readonly (readonly [id: string, label: string])[] = [
      [CHANNEL.dm, "direct message"],
      [CHANNEL.general, "channel"],
      [CHANNEL.announcements, "announcement"],
      [CHANNEL.forum, "forum"],
      [CHANNEL.media, "media"],
    ];
    return kinds.map(([id, label]) => {
      const { name, guildId } = this.#channel(id);
      return {
        id,
        name: guildId === null ? PERSON.name : `#${name}`,
        kind: guildId === null ? "dm" : "group",
        hasThreads: guildId !== null,
        label,
      };
    });
  }

  readonly people = [PERSON];

  get isConnected(): boolean {
    return this.gateway.isConnected;
  }

  /** The slash commands that the client registered. */
  get commands(): Interactions["commands"] {
    return this.#api.interactions.commands;
  }

  /** How the client answered slash commands and presses, oldest first. */
  get interactionAnswers(): readonly InteractionAnswer[] {
    return this.#api.interactions.answers;
  }

  messages(chatId: string, threadId?: string): readonly EmulatedMessage[] {
    const channel = this.world.channels.get(threadId ?? chatId);
    return (channel?.messages ?? []).filter(({ type }) => WRITTEN.includes(type)).map(toEmulated);
  }

  /** Everything that stands in a channel, with Discord's own lines (that a thread began, say): the type of each. */
  lines(chatId: string): readonly number[] {
    return this.#channel(chatId).messages.map(({ type }) => type);
  }

  override threads(chatId: string): readonly EmulatedThread[] {
    return threadsIn(this.world, chatId)
      .filter(({ id }) => id !== CHANNEL.standingThread && id !== CHANNEL.privateThread)
      .map(({ id, name, type }) => ({ id, name, isVisible: type !== KIND.privateThread }));
  }

  async receive(inbound: DiscordInbound): Promise<{ readonly messageId: string }> {
    const context = { api: this.#api, deliveries: this.#deliveries };
    return write(context, this.#channel(inbound.threadId ?? inbound.chatId), inbound);
  }

  async press({ chatId, threadId, messageId, label, userId }: EmulatedPress): Promise<void> {
    const channel = this.#channel(threadId ?? chatId);
    const message = channel.messages.find(({ id }) => id === messageId);
    if (!message) throw new Error(`There is no message ${messageId}.`);
    const button = message.components.flatMap(({ components }) => components).find((one) => one.label === label);
    if (!button) throw new CannotEmulate(`No button below ${messageId} is called ${label}.`);
    const person = personIn(this.world, channel, { userId });
    const pressed = this.#api.interactions.press({ channel, message, baseUrl: this.url }, person, button);
    this.#deliveries.deliver(() => this.#api.tell("INTERACTION_CREATE", pressed, ANY_INTENT));
  }

  /** A person presses a button, and the event lacks a field that Discord has not always sent. */
  pressButton(channelId: string): void {
    const channel = this.#channel(channelId);
    const payload = {
      ...{ id: this.world.nextId(), application_id: BOT.applicationId, type: 3, token: "component-secret", version: 1 },
      ...{ channel_id: channelId, channel: channelPayload(this.world, channel), guild_id: channel.guildId },
      member: {
        user: { id: PERSON.id, username: PERSON.name, discriminator: "0", avatar: null },
        roles: [],
        permissions: "0",
      },
      ...{ locale: "en-US", entitlements: [], data: { component_type: 2, custom_id: "some-button" } },
      message: {
        id: this.world.nextId(),
        channel_id: channelId,
        author: { id: BOT.id, username: BOT.name },
        content: "",
      },
    };
    this.#api.tell("INTERACTION_CREATE", payload, 0);
  }

  /** Discord does not say who deleted a message. */
  retract({ chatId, threadId, messageId }: EmulatedRetraction): void {
    const channel = this.#channel(threadId ?? chatId);
    const { id, guildId, messages } = channel;
    const at = messages.findIndex((message) => message.id === messageId);
    if (at < 0) throw new Error(`There is no message ${messageId}.`);
    messages.splice(at, 1);
    const gone = { id: messageId, channel_id: id, ...(guildId === null ? {} : { guild_id: guildId }) };
    const intent = guildId === null ? INTENT.directMessages : INTENT.guildMessages;
    this.#deliveries.deliver(() => this.#api.tell("MESSAGE_DELETE", gone, intent));
  }

  sendUnreadable(at: EmulatedPlace): Promise<{ readonly messageId: string }> {
    return this.receive({ ...at, text: "", fields: { sticker_items: [{ id: "1", name: "Wave", format_type: 1 }] } });
  }

  override heal(): void {
    super.heal();
    this.#deliveries.letGo();
  }

  override removeThread(_chatId: string, threadId: string): void {
    const thread = this.#channel(threadId);
    if (!isThread(thread)) throw new Error(`${threadId} is no thread.`);
    this.world.channels.delete(threadId);
    tellThreadGone(this.#api, thread);
  }

  /** Archives a thread, as it happens after a day of quiet. */
  archiveThread(threadId: string): void {
    setArchived(this.#api, this.#channel(threadId), true);
  }

  lockThread(threadId: string): void {
    this.#channel(threadId).locked = true;
  }

  /** People boost the server, up to a level from 0 to 3, or stop to. */
  boost(level: number): void {
    this.world.boostLevel = level;
    const { channels: _, threads: __, ...guild } = guildPayload(this.world);
    this.#api.tell("GUILD_UPDATE", guild, INTENT.guilds);
  }

  /** Takes a right from the bot in a channel, as an overwrite of its permissions does. */
  deny(channelId: string, ...rights: readonly Right[]): void {
    const channel = this.#channel(channelId);
    this.denyUntold(channelId, ...rights);
    this.#api.tell("CHANNEL_UPDATE", channelPayload(this.world, channel), INTENT.guilds);
  }

  /** Takes a right from the bot, and the event that tells of it is lost. */
  denyUntold(channelId: string, ...rights: readonly Right[]): void {
    const channel = this.#channel(channelId);
    for (const right of rights) channel.denied |= RIGHTS[right];
  }

  /** Gives a right back. */
  allow(channelId: string, ...rights: readonly Right[]): void {
    const channel = this.#channel(channelId);
    for (const right of rights) channel.denied &= ~RIGHTS[right];
    this.#api.tell("CHANNEL_UPDATE", channelPayload(this.world, channel), INTENT.guilds);
  }

  #channel(id: string): ChannelRecord {
    const channel = this.world.channels.get(id);
    if (!channel) throw new Error(`There is no channel ${id}.`);
    return channel;
  }
}

function toEmulated(message: MessageRecord): EmulatedMessage {
  const { id, authorId, content, components, editedAt, attachments, flags, allowedMentions } = message;
  const files = attachments.map(shownFile);
  const labels = components.flatMap((row) => row.components.map(({ label }) => label));
  return {
    id,
    author: authorId === BOT.id ? "bot" : authorId,
    text: plainText(content),
    raw: { content, flags },
    isEdited: editedAt !== null,
    fileNames: files.map(({ name }) => name),
    ...(files.length > 0 && { files }),
    notifies: notifiedBy(content, allowedMentions),
    links: linksIn(content),
    ...(labels.length > 0 && { choices: labels }),
  };
}
