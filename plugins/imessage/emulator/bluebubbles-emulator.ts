import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  CannotEmulate,
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPerson,
  type EmulatedPlace,
  type EmulatedPress,
  type EmulatedRetraction,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { tapback } from "./changing.ts";
import { SELF } from "./database.ts";
import { FAILURES } from "./failures.ts";
import { changeGroup, type GroupChange } from "./group-changes.ts";
import type { MacState } from "./mac.ts";
import { RestApi } from "./rest-api.ts";
import { type Chat, isReaction } from "./rows.ts";
import { askedTapbacks, asSeen, isSeen } from "./seen.ts";
import { refuseUpgrade, SocketIo } from "./socket-io.ts";
import { Webhooks } from "./webhooks.ts";
import { World } from "./world.ts";
import { type IMessageInbound, unsend, write } from "./writing.ts";

const PASSWORD = "emulated+password&of=no-server";

/** The people that are there from the start, by their addresses; `self` is the account that Hermes writes as. */
export const PEOPLE = {
  self: SELF.address,
  ada: "+4915551111111",
  grace: "grace@example.com",
  carl: "+4915553333333",
} as const;

/** The chats that are there from the start. */
export const CHATS = {
  ada: `iMessage;-;${PEOPLE.ada}`,
  grace: `iMessage;-;${PEOPLE.grace}`,
  /** Somebody without iMessage. */
  carl: `SMS;-;${PEOPLE.carl}`,
  group: "iMessage;+;chat100000000000000001",
  otherGroup: "iMessage;+;chat100000000000000002",
  self: `iMessage;-;${SELF.address}`,
} as const;

/**
 * A BlueBubbles server on this machine, with a Mac, its Messages app, and people who write. It answers as BlueBubbles
 * 1.9.9 does: REST with the password as a parameter, events over Socket.IO and to webhooks.
 */
export class BlueBubblesEmulator extends EmulatorBase {
  readonly platform = "imessage";
  readonly world: World;
  readonly socket: SocketIo;
  readonly #webhooks: Webhooks;
  readonly #api: RestApi;

  private constructor({ clock }: EmulatorOptions) {
    super({ clock, failures: FAILURES, secrets: [PASSWORD, encodeURIComponent(PASSWORD)] });
    const isPassword = (password: string) => password.trim() === PASSWORD;
    this.socket = new SocketIo(isPassword);
    this.#webhooks = new Webhooks(() => this.clock.now());
    const { script, requests, socket } = this;
    this.world = new World({ clock: this.clock, script, socket, webhooks: this.#webhooks });
    this.#api = new RestApi({ world: this.world, script, requests, isPassword });
    const { database } = this.world;
    const ada = database.handle(PEOPLE.ada, "iMessage", "Ada");
    const grace = database.handle(PEOPLE.grace, "iMessage", "Grace");
    const carl = database.handle(PEOPLE.carl, "SMS", "Carl");
    for (const one of [ada, grace, carl]) database.privateChat(one);
    database.group("chat100000000000000001", "The team", [ada, grace]);
    database.group("chat100000000000000002", "Another group", [ada, grace]);
    database.privateChat(database.handle(SELF.address, "iMessage", SELF.name));
  }

  static start(options: EmulatorOptions = {}): Promise<BlueBubblesEmulator> {
    return new BlueBubblesEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#api.answer(request, response);
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => {});
    void this.#upgrade(request, socket, head);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { mac } = this.world;
    await mac.untilAwake();
    const failure = mac.state.power === "restarting" ? { is: "disconnect" } : this.script.take("connect");
    this.requests.add("socket.io", {}, failure === null ? 101 : 500);
    if (failure?.is === "hang") await this.script.untilHealed();
    if (failure?.is === "disconnect") socket.destroy();
    else if (failure?.is === "break") refuseUpgrade(socket, "502 Bad Gateway");
    else this.socket.upgrade(request, socket, head);
  }

  protected override disconnect(): void {
    this.#webhooks.cut();
    super.disconnect();
  }

  protected override stop(): void {
    this.setMac({ power: "on" });
    this.socket.close();
    this.#webhooks.cut();
  }

  get options(): { readonly url: string; readonly password: string } {
    return { url: this.url, password: PASSWORD };
  }

  /** Those that can be the home channel with `options`, which takes no SMS. */
  get chats(): readonly EmulatedChat[] {
    const chats = this.world.database.chats.filter(({ service }) => service !== "SMS");
    return chats.map((chat) => {
      const isGroup = chat.style === 43;
      const label = isGroup ? "group" : this.world.database.isToOneself(chat) ? "notes to oneself" : "private chat";
      const name = isGroup ? chat.displayName : (chat.participants[0]?.name ?? chat.identifier);
      return { id: chat.guid, name, kind: isGroup ? "group" : "dm", hasThreads: false, label };
    });
  }

  get people(): readonly EmulatedPerson[] {
    const others = this.world.database.handles.filter(({ address }) => !this.world.database.ownAddresses.has(address));
    return others.map(({ address, name }) => ({ id: address, name: name ?? address }));
  }

  get isConnected(): boolean {
    return this.socket.connections + this.#webhooks.reachable > 0;
  }

  messages(chatId: string): readonly EmulatedMessage[] {
    const chat = this.#chat(chatId);
    const { database } = this.world;
    const rows = [...database.rows, ...database.cloud].filter((row) => row.chat === chat && isSeen(row));
    // Of a note to oneself people see one row.
    return rows.filter(({ isFromMe }) => isFromMe || !database.isToOneself(chat)).map(asSeen);
  }

  async receive(message: IMessageInbound): Promise<{ readonly messageId: string }> {
    return { messageId: write(this.world, message).guid };
  }

  retract({ messageId, userId }: EmulatedRetraction): void {
    const author = this.world.database.message(messageId)?.author ?? "";
    unsend(this.world, messageId, userId ?? author);
  }

  /** A drawing: a message without text or file. */
  sendUnreadable({ chatId }: EmulatedPlace): Promise<{ readonly messageId: string }> {
    const balloonBundleId = "com.apple.DigitalTouchBalloonProvider";
    return this.receive({ chatId, text: "", row: { text: null, balloonBundleId } });
  }

  /** Puts a tapback on a message, or with a `-` before its name takes it away. */
  async tapback(messageId: string, reaction: string, userId?: string): Promise<{ readonly messageId: string }> {
    const target = this.world.database.message(messageId);
    if (target === undefined || !isReaction(reaction)) throw new Error(`there is no ${messageId} to ${reaction}`);
    const { text, ...row } = tapback(target, reaction);
    const author = userId === undefined ? {} : { userId };
    return this.receive({ chatId: target.chat.guid, text, ...author, row });
  }

  /** Gives the tapback that a message asks for by a line such as `👍 Yes`. Messages has no buttons. */
  async press({ messageId, label, userId }: EmulatedPress): Promise<void> {
    const text = this.world.database.message(messageId)?.text ?? "";
    const asked = askedTapbacks(text).find((one) => one.label === label);
    if (asked === undefined) throw new CannotEmulate(`${messageId} asks for no tapback for ${label}`);
    await this.tapback(messageId, asked.reaction, userId);
  }

  /** The tapbacks on a message: who gave which. */
  tapbacks(messageId: string): readonly { readonly author: string; readonly reaction: string }[] {
    return this.world.database.rows
      .filter(({ associatedMessageGuid }) => associatedMessageGuid === `p:0/${messageId}`)
      .map(({ author, associatedMessageType }) => ({ author, reaction: associatedMessageType ?? "" }));
  }

  /** Somebody reads what the account wrote in a private chat. */
  read(chatId: string): void {
    const { rows, now } = this.world.database;
    const chat = this.#chat(chatId);
    for (const row of rows.filter((one) => one.chat === chat && one.isFromMe && one.dateRead === null)) {
      row.dateRead = now;
      this.world.events.tellChanged(row);
    }
  }

  /** Somebody types in a private chat, or stops; only the helper inside Messages sees that. */
  type(chatId: string, isTyping: boolean): void {
    const { privateApi, helperConnected } = this.world.mac.state;
    const { guid, style } = this.#chat(chatId);
    if (style === 45 && privateApi && helperConnected)
      this.world.events.tell("typing-indicator", { display: isTyping, guid });
  }

  /** Somebody changes a group. */
  changeGroup(chatId: string, change: GroupChange, by?: string): void {
    changeGroup(this.world, this.#chat(chatId), change, by);
  }

  /** The Mac restarts, sleeps or is there again; Messages is signed out; the private API is off; and more. */
  setMac(state: Partial<MacState>): void {
    if (state.power !== undefined) this.socket.isMute = state.power === "asleep";
    this.world.setMac(state);
    if (state.power === "restarting") this.disconnect();
  }

  /** The server is started again, and tells once more of its latest messages. */
  replay(count: number): void {
    for (const row of this.world.database.rows.slice(-count)) this.world.events.tellNew(row, false);
  }

  /** The next message that is sent is taken; afterwards it turns out to have failed, of which nobody is told. */
  refuseLate(code = 22, afterMs = 1_000): void {
    this.world.lateErrors.push({ code, afterMs });
  }

  /** Adds a card with several addresses to the Mac's contacts. */
  addContact(name: string, addresses: readonly string[]): void {
    this.world.database.cards.push({ name, addresses });
  }

  /** The account gets one more address, and a chat with it. Returns the chat's guid. */
  addOwnAddress(address: string): string {
    const { database } = this.world;
    database.ownAddresses.add(address);
    return database.privateChat(database.handle(address, "iMessage", SELF.name)).guid;
  }

  /** Whether somebody is on iMessage. */
  setReachable(address: string, isReachable: boolean): void {
    if (isReachable) this.world.unreachable.delete(address);
    else this.world.unreachable.add(address);
  }

  /** The Mac gets macOS 26, where the guids of chats do not say the service any more: `any;-;…`. */
  upgradeMac(): void {
    this.setMac({ osVersion: "26.1" });
    for (const chat of this.world.database.chats) chat.guid = chat.guid.replace(/^[^;]+/, "any");
  }

  #chat(chatId: string): Chat {
    const chat = this.world.database.chat(chatId);
    if (chat === undefined) throw new Error(`there is no chat ${chatId}`);
    return chat;
  }
}
