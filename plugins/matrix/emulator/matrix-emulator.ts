import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPlace,
  type EmulatedRetraction,
  type EmulatedThread,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { type Call, objectIn, param, type Route } from "./call.ts";
import { ClientApi } from "./client-api.ts";
import { failuresOf } from "./failures.ts";
import { checkUserId, Homeserver, SERVER_NAME } from "./homeserver.ts";
import { ADA, BOT, type NewRoom, openRoom, openSuccessor, ROOMS } from "./new-room.ts";
import { People } from "./people.ts";
import type { RoomRecord } from "./room.ts";
import { accountRoutes } from "./routes/account.ts";
import { encryptionRoutes } from "./routes/encryption.ts";
import { mediaRoutes } from "./routes/media.ts";
import { roomRoutes } from "./routes/rooms.ts";
import { type ShownParts, shownMessages, shownThreads } from "./shown.ts";
import { ShownFiles } from "./shown-files.ts";
import { type Content, isObject } from "./wire.ts";
import { contentOf, type MatrixInbound, storeFile } from "./writing.ts";

const ROUTES: readonly Route[] = [
  ...accountRoutes(new Map([[BOT.userId, BOT.password]]), SERVER_NAME),
  ...roomRoutes(),
  ...encryptionRoutes(),
  ...mediaRoutes(SERVER_NAME),
];

const FAILURES = failuresOf(ROUTES.map(({ name }) => name));

/** The bot's token. */
const TOKEN = `syt_emulated_${"0123456789abcdef".repeat(2)}`;

/**
 * A homeserver on this machine, with a handful of rooms. It speaks the client-server API to matrix-js-sdk, and is as
 * strict as Synapse. In encrypted rooms it only stores and forwards: people have clients of their own there, with keys
 * that the server never sees.
 */
export class MatrixEmulator extends EmulatorBase {
  readonly platform = "matrix";
  /** Users, rooms and keys, for tests that need more than this class offers. */
  readonly server: Homeserver;
  readonly #people: People;
  readonly #api: ClientApi;
  readonly #files: ShownFiles;

  private constructor({ clock }: EmulatorOptions) {
    super({ clock, failures: FAILURES, secrets: [TOKEN, BOT.password] });
    this.server = new Homeserver(this.clock);
    // They are on this machine, whatever the bot calls it.
    const url = () => `http://127.0.0.1:${new URL(this.url).port}`;
    this.#people = new People(this.server, BOT.userId, url);
    this.#files = new ShownFiles(this.server.media, (data, info) => this.#people.decryptFile(data, info));
    this.server.signIn(BOT.userId, "HERMESGATEWAY", TOKEN);
    this.server.names.set(BOT.userId, BOT.name).set(ADA, "Ada");
    this.#api = new ClientApi({
      server: this.server,
      script: this.script,
      requests: this.requests,
      botId: BOT.userId,
      routes: ROUTES,
      around: { before: (name, call) => this.#before(name, call), after: (name, call) => this.#after(name, call) },
    });
    this.createRoom({ id: ROOMS.direct, members: [BOT.userId] });
    this.createRoom({ id: ROOMS.group, name: "A group", members: [BOT.userId, `@bo:${SERVER_NAME}`] });
    this.createRoom({
      id: ROOMS.encrypted,
      name: "An encrypted room",
      members: [BOT.userId, `@bo:${SERVER_NAME}`],
      isEncrypted: true,
    });
    this.createRoom({ id: ROOMS.encryptedDirect, members: [BOT.userId], isEncrypted: true });
  }

  static start(options: EmulatorOptions = {}): Promise<MatrixEmulator> {
    return new MatrixEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#api.answer(request, response);
  }

  protected override disconnect(): void {
    this.#api.cutBot();
  }

  protected override stop(): Promise<void> {
    return this.#people.close();
  }

  get options(): { readonly homeserverUrl: string; readonly accessToken: string } {
    return { homeserverUrl: this.url, accessToken: TOKEN };
  }

  get chats(): readonly EmulatedChat[] {
    return [...this.server.rooms.values()]
      .filter((room) => room.membership(BOT.userId) === "join")
      .map((room) => ({
        id: room.id,
        name: room.state("m.room.name") ? room.name : "Ada",
        kind: room.members("join", "invite").length === 2 ? "dm" : "group",
        hasThreads: true,
        label: room.isEncrypted ? "encrypted room" : "room",
      }));
  }

  readonly people = [{ id: ADA, name: "Ada" }];

  get isConnected(): boolean {
    return this.#api.isBotWaiting;
  }

  messages(chatId: string, threadId?: string): readonly EmulatedMessage[] {
    return shownMessages(this.#shown(chatId), threadId);
  }

  override threads(chatId: string): readonly EmulatedThread[] {
    return shownThreads(this.#shown(chatId));
  }

  async receive(message: MatrixInbound): Promise<{ readonly messageId: string }> {
    const room = this.#room(message.chatId);
    const sender = message.isOwn ? BOT.userId : checkUserId(message.userId ?? ADA);
    await this.#enter(room, sender, message.userName);
    if (room.isEncrypted && !message.isOwn) return { messageId: await this.#writeEncrypted(room, sender, message) };
    const content = contentOf(room, message, BOT, (file, mediaType) => ({
      url: storeFile(this.server, file, mediaType),
    }));
    const failure = this.script.take("deliver");
    const delivery = failure?.is === "redeliver" ? "twice" : failure?.is === "out-of-order" ? "late" : undefined;
    const { event } = this.server.append(
      room,
      { type: "m.room.message", sender, content },
      { ...(message.isOwn ? { isHidden: true } : {}), ...(delivery ? { delivery } : {}) },
    );
    return { messageId: event.event_id };
  }

  /** Ada writes a message that others can answer in a thread. Returns its id. */
  openThread(chatId: string, name: string): string {
    const room = this.#room(chatId);
    const write = (content: Content) => this.server.append(room, { type: "m.room.message", sender: ADA, content });
    return write({ msgtype: "m.text", body: name }).event.event_id;
  }

  /** A moderator removes the message that a thread hangs on. */
  override removeThread(chatId: string, threadId: string): void {
    this.server.append(this.#room(chatId), {
      type: "m.room.redaction",
      sender: ADA,
      content: { redacts: threadId },
      redacts: threadId,
    });
  }

  /** A person redacts a message: their own, or as a moderator another's. */
  retract({ chatId, messageId, userId = ADA }: EmulatedRetraction): void {
    const redaction = { type: "m.room.redaction", sender: userId, content: { redacts: messageId }, redacts: messageId };
    this.server.append(this.#room(chatId), redaction);
  }

  async sendUnreadable({ chatId }: EmulatedPlace): Promise<{ readonly messageId: string }> {
    return { messageId: this.send(chatId, "m.sticker", { body: "Wave", url: "mxc://emulated.test/1", info: {} }) };
  }

  /** Sends an event that is no message of the plain kind. Returns its id. */
  send(chatId: string, type: string, content: Content, sender: string = ADA): string {
    return this.server.append(this.#room(chatId), { type, sender, content }).event.event_id;
  }

  /** Opens a room; Ada has made it, and may do everything there. */
  createRoom(room: NewRoom): RoomRecord {
    return openRoom(this.server, room);
  }

  /** Changes a room's state, as somebody who may. */
  setState(roomId: string, type: string, content: Content, stateKey = ""): void {
    this.server.append(this.#room(roomId), { type, content, stateKey, sender: ADA });
  }

  /** Whether the bot may write in a room, which a moderator sets by its power levels. */
  setMayWrite(roomId: string, isAllowed: boolean): void {
    this.setState(roomId, "m.room.power_levels", { users: { [ADA]: 100 }, events_default: isAllowed ? 0 : 50 });
  }

  /** Gives the bot a moderator's power: it may redact what others wrote. */
  makeModerator(roomId: string): void {
    const users = { [ADA]: 100, [BOT.userId]: 50 };
    this.setState(roomId, "m.room.power_levels", { users, events_default: 0, state_default: 50 });
  }

  /** Somebody invites the bot, or another user. */
  invite(roomId: string, inviter: string = ADA, userId: string = BOT.userId, more: Content = {}): void {
    this.server.setMembership(this.#room(roomId), userId, "invite", inviter, more);
  }

  /** Ada lets somebody in. */
  enter(roomId: string, userId: string): void {
    const room = this.#room(roomId);
    if (room.membership(userId) === "join") return;
    this.server.setMembership(room, userId, "invite", ADA);
    this.server.setMembership(room, userId, "join");
  }

  /** Somebody leaves a room, or is removed. */
  leave(roomId: string, userId: string): void {
    this.server.setMembership(this.#room(roomId), userId, "leave");
  }

  /**
   * Upgrades a room ("Room upgrades"): it is closed, and a new one with another id follows it, to which the bot is
   * invited, or which is open to all. Returns that id.
   */
  upgradeRoom(roomId: string, { isPublic = false }: { readonly isPublic?: boolean } = {}): string {
    return openSuccessor(this.server, this.#room(roomId), { isPublic }).id;
  }

  /** Lets a person write so that the bot has no key for it, until `deliverKey` is called. */
  async writeUnreadable(
    chatId: string,
    text: string,
    userId: string = ADA,
  ): Promise<{ readonly messageId: string; deliverKey(): void }> {
    const room = this.#room(chatId);
    await this.#enter(room, checkUserId(userId), undefined);
    const person = await this.#people.get(userId);
    await person.knows(room.id, BOT.userId);
    await person.rotateKeys(room.id);
    const { result, deliver } = await this.server.withholding(BOT.userId, () =>
      person.send(room.id, { msgtype: "m.text", body: text, "m.mentions": {} }),
    );
    return { messageId: result, deliverKey: deliver };
  }

  /** The bot's tokens expire; its devices stay ("Soft logout"). */
  expireBotToken(): void {
    for (const [token, session] of this.server.sessions) {
      if (session.userId === BOT.userId) this.server.expire(token);
    }
  }

  /** Ends all sessions of the bot, as its owner may in the settings. */
  signOutBot(): void {
    for (const [token, { userId, deviceId }] of this.server.sessions) {
      if (userId !== BOT.userId) continue;
      this.server.sessions.delete(token);
      this.server.keys.remove(userId, deviceId);
    }
    this.server.announce();
  }

  async #writeEncrypted(room: RoomRecord, sender: string, message: MatrixInbound): Promise<string> {
    const person = await this.#people.get(sender);
    await person.knows(room.id, BOT.userId);
    const content = contentOf(room, message, BOT, (file) => {
      const { data, info } = person.files.encrypt(file);
      return { file: { ...info, url: storeFile(this.server, data, "application/octet-stream") } };
    });
    return person.send(room.id, content);
  }

  /** A group is open to everybody who writes in it here. */
  async #enter(room: RoomRecord, userId: string, userName: string | undefined): Promise<void> {
    if (userName !== undefined) this.server.names.set(userId, userName);
    if (room.membership(userId) !== "join") this.server.setMembership(room, userId, "join");
  }

  async #before(name: string, call: Call): Promise<void> {
    if (name !== "keys/query") return;
    const { device_keys: users } = objectIn(call);
    await this.#people.arrive(Object.keys(isObject(users) ? users : {}));
  }

  async #after(name: string, call: Call): Promise<void> {
    const room = name === "send" ? this.server.room(param(call, 0)) : undefined;
    const sent = room?.entries.at(-1);
    if (room && sent) await this.#people.read(room, sent.event.event_id);
  }

  #shown(chatId: string): ShownParts {
    const read = (eventId: string) => this.#people.contentOf(eventId);
    return { room: this.#room(chatId), botId: BOT.userId, read, files: this.#files };
  }

  #room(chatId: string): RoomRecord {
    const room = this.server.room(chatId);
    if (room === undefined) throw new Error(`there is no room ${chatId}`);
    return room;
  }
}
