import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  CannotEmulate,
  type EmulatedChat,
  type EmulatedInbound,
  type EmulatedMessage,
  type EmulatedPress,
  type EmulatedRetraction,
  type EmulatedThread,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { THREAD_METADATA } from "#src/source";
import { buttonsIn } from "./buttons.ts";
import { EventFeed } from "./event-feed.ts";
import { FAILURES } from "./failures.ts";
import { shownFile } from "./file-methods.ts";
import type { MethodContext } from "./methods.ts";
import { linksIn, notifiedBy, readMessage } from "./read-message.ts";
import { SocketHub } from "./socket-hub.ts";
import { answerRequest } from "./web-api.ts";
import { ADA, APP, type Channel, type StoredFile, type StoredMessage, Workspace } from "./workspace.ts";

export interface SlackEmulatorOptions extends EmulatorOptions {
  /** The workspace's id. */
  readonly teamId?: string;
  /** How long an acknowledgement may take before the event is delivered again, in milliseconds. Slack's 3 s. */
  readonly ackWithinMs?: number;
}

/** What a person writes, as on every emulator, or in Slack's own markup. */
export interface SlackInbound extends EmulatedInbound {
  /** Goes out as it stands, in place of `text`. */
  readonly mrkdwn?: string;
}

/** The app's slash command as it is typed, with what stands behind it. */
const SLASH_COMMAND = /^\/hermes(?:$|\s+)(.*)/s;

const LABELS = { im: "direct message", channel: "channel", group: "private channel" } as const;

/** Starts a workspace on this machine with an app in it: the Web API, socket mode and files. */
export function startSlackEmulator(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  return SlackEmulator.start(options);
}

/** Slack on this machine, as strict as the real one where Hermes touches it. */
export class SlackEmulator extends EmulatorBase {
  readonly platform = "slack";
  /** Connections and envelopes; switches for a peer that is gone without a word. */
  readonly hub: SocketHub;
  readonly workspace: Workspace;
  readonly #feed: EventFeed;
  readonly #tokens: { readonly bot: string; readonly app: string };
  readonly #uploads: MethodContext["uploads"] = new Map();

  private constructor({ clock, teamId = "T0EMULATOR", ackWithinMs = 3_000 }: SlackEmulatorOptions) {
    const tokens = { bot: `xoxb-${teamId}-0000000000-emulated`, app: `xapp-1-${APP.appId}-${teamId}-emulated` };
    super({ clock, failures: FAILURES, secrets: Object.values(tokens) });
    this.#tokens = tokens;
    this.workspace = new Workspace(teamId, this.clock);
    this.hub = new SocketHub({ clock: this.clock, ackWithinMs });
    this.#feed = new EventFeed(this.workspace, this.hub);
  }

  static async start(options: SlackEmulatorOptions): Promise<SlackEmulator> {
    const emulator = await new SlackEmulator(options).listen(options);
    emulator.workspace.filesUrl = `${emulator.url}/files-pri`;
    return emulator;
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { workspace, script, requests, url } = this;
    const newTicket = () => this.hub.newTicket();
    const own = { feed: this.#feed, uploads: this.#uploads, tokens: this.#tokens, newTicket };
    return answerRequest(request, response, { workspace, script, requests, url, ...own });
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.hub.upgrade(request, socket, head);
  }

  protected override disconnect(): void {
    this.hub.cut();
  }

  protected override stop(): void {
    this.hub.close();
    this.workspace.close();
  }

  get options(): { readonly apiUrl: string; readonly botToken: string; readonly appToken: string } {
    return { apiUrl: `${this.url}/api/`, botToken: this.#tokens.bot, appToken: this.#tokens.app };
  }

  get chats(): readonly EmulatedChat[] {
    return this.workspace.channels.map(({ id, name, type }) => ({
      id,
      name,
      kind: type === "im" ? "dm" : "group",
      hasThreads: true,
      label: LABELS[type],
    }));
  }

  readonly people = [{ id: ADA, name: "Ada" }];

  get isConnected(): boolean {
    return this.hub.isConnected;
  }

  /** At the top of a channel, or the answers in a thread; a thread's root stands at the top. */
  messages(chatId: string, threadId?: string): readonly EmulatedMessage[] {
    return this.workspace
      .channel(chatId)
      .messages.in(threadId)
      .filter(({ subtype }) => subtype === undefined)
      .map((message) => ({
        id: message.ts,
        author: message.botId === APP.botId ? "bot" : message.user,
        text: readMessage(message),
        raw: message,
        isEdited: message.isEdited,
        fileNames: message.files.map(({ name }) => name),
        ...(message.files.length > 0 && { files: message.files.map(shownFile) }),
        notifies: notifiedBy(message),
        links: linksIn(message),
        ...choicesOf(message),
      }));
  }

  /** Messages that have answers, and those that were posted to hang a handoff on. */
  override threads(chatId: string): readonly EmulatedThread[] {
    const { messages } = this.workspace.channel(chatId);
    return messages
      .in(undefined)
      .filter(({ ts, metadata }) => messages.thread(ts).length > 0 || metadata?.event_type === THREAD_METADATA)
      .map((root) => ({ id: root.ts, name: readMessage(root), isVisible: true }));
  }

  /**
   * What a person types; `/hermes …` runs the app's slash command, and stays no message, and any other `/…` is refused,
   * as in Slack.
   */
  async receive(inbound: SlackInbound): Promise<{ readonly messageId: string }> {
    const at = this.workspace.channel(inbound.chatId);
    const { chatId, userId } = inbound;
    const isTyped = !inbound.isOwn && !inbound.isBot && !inbound.forwarded && inbound.editOf === undefined;
    const [, command] = isTyped ? (SLASH_COMMAND.exec(inbound.text) ?? []) : [];
    if (command !== undefined) {
      if (inbound.threadId !== undefined) {
        throw new CannotEmulate(`Slack has no slash commands in threads; write !${command || "help"}`);
      }
      void this.command(command, { chatId, ...(userId === undefined ? {} : { userId }) });
      return { messageId: this.workspace.newTs() };
    }
    const [unknown] = (isTyped && /^\/\S+/.exec(inbound.text)) || [];
    if (unknown !== undefined)
      throw new CannotEmulate(`Slack says that ${unknown} is not a valid command, and sends nothing`);
    const failure = this.script.take("deliver");
    const message = inbound.editOf === undefined ? this.#write(at, inbound) : this.#find(at, inbound.editOf);
    if (inbound.editOf === undefined) {
      this.#feed.sendMessage(at, message, failure);
    } else {
      const before = { ...message };
      const text = textOf(inbound);
      const files = inbound.files && this.#filesOf(inbound);
      // Slack calls a message edited whose words were changed.
      Object.assign(message, { text, isEdited: message.isEdited || text !== before.text, ...(files && { files }) });
      this.#feed.sendChange(at, message, before, failure);
    }
    return { messageId: message.ts };
  }

  /** Slack does not say who deleted a message. */
  retract({ chatId, messageId }: EmulatedRetraction): void {
    const at = this.workspace.channel(chatId);
    const message = this.#find(at, messageId);
    at.messages.delete(message);
    this.#feed.sendDeletion(at, message, this.script.take("deliver"));
  }

  /** Presses a button. Whoever sees the message may. */
  async press({ chatId, messageId, label, userId = ADA }: EmulatedPress): Promise<void> {
    const at = this.workspace.channel(chatId);
    const message = this.#find(at, messageId);
    const button = buttonsIn(message).find(({ text }) => text.text === label);
    if (button === undefined) throw new CannotEmulate(`no button of ${messageId} says ${label}`);
    this.#feed.sendPress(at, message, button, { userId, failure: this.script.take("deliver") });
  }

  /** Runs the app's slash command (`/hermes` and `text`); resolves with what the app acknowledged it with. */
  async command(text: string, { chatId = "D0ADA", userId = ADA }: { chatId?: string; userId?: string } = {}) {
    return this.#feed.sendCommand(this.workspace.channel(chatId), "/hermes", text, userId);
  }

  override heal(): void {
    super.heal();
    this.hub.answersPings = true;
    this.hub.greets = true;
  }

  /** Takes the bot out of a channel, or invites it. */
  setMember(chatId: string, isMember: boolean): void {
    const channel = this.workspace.channel(chatId);
    if (isMember && !channel.isMember) {
      this.workspace.add(channel, {
        ...{ user: APP.userId, subtype: "channel_join", text: `<@${APP.userId}> has joined the channel` },
      });
    }
    channel.isMember = isMember;
  }

  /** Begins a thread as a person does, by a message at the top. Returns its id. */
  openThread(chatId: string, name: string): string {
    return this.#write(this.workspace.channel(chatId), { chatId, text: name }).ts;
  }

  override removeThread(chatId: string, threadId: string): void {
    const { messages } = this.workspace.channel(chatId);
    for (const answer of messages.thread(threadId)) messages.delete(answer);
    const root = messages.get(threadId);
    if (root !== undefined) messages.delete(root);
  }

  #write(at: Channel, inbound: SlackInbound): StoredMessage {
    const { threadId, replyTo, userId = ADA, userName, isOwn, isBot } = inbound;
    const root = threadId ?? (replyTo === undefined ? undefined : (this.#find(at, replyTo).threadTs ?? replyTo));
    if (userName !== undefined) this.workspace.users.set(userId, userName);
    else if (!this.workspace.users.has(userId)) this.workspace.users.set(userId, userId);
    const files = this.#filesOf(inbound);
    // An incoming webhook has a bot id of its own, and only the app's id tells whose it is.
    const program = isOwn
      ? { botId: "B0WEBHOOK", appId: APP.appId }
      : isBot
        ? { botId: `B0${userId}`, appId: "A0OTHER" }
        : {};
    const text = textOf(inbound);
    const said = inbound.forwarded ? { text: "", attachments: [shared(text, inbound.forwarded.from)] } : { text };
    return this.workspace.add(at, { user: userId, ...said, threadTs: root, files, ...program });
  }

  #filesOf({ files = [] }: SlackInbound): StoredFile[] {
    return files.map(({ name, mediaType, content }) => {
      const file = { id: this.workspace.newId("F"), name, mediaType, content: Buffer.from(content) };
      this.workspace.files.set(file.id, file);
      return file;
    });
  }

  #find(at: Channel, ts: string): StoredMessage {
    const found = at.messages.get(ts);
    if (!found) throw new Error(`there is no message ${ts} in ${at.id}`);
    return found;
  }
}

function choicesOf(message: StoredMessage): Pick<EmulatedMessage, "choices"> {
  const labels = buttonsIn(message).map(({ text }) => text.text);
  return labels.length === 0 ? {} : { choices: labels };
}

/** A message of another channel, as one that shares it carries it. */
function shared(text: string, author: string): object {
  return { is_share: true, is_msg_unfurl: true, author_name: author, channel_name: "news", text, fallback: text };
}

/** What a person types is escaped by Slack's own client. */
function textOf({ text, mrkdwn, mentions }: SlackInbound): string {
  const typed = mrkdwn ?? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return mentions ? `<@${APP.userId}> ${typed}` : typed;
}
