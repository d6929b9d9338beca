import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPerson,
  type EmulatedPlace,
  type EmulatedRetraction,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { Curve } from "@whiskeysockets/baileys";
import { WebSocketServer } from "ws";
import { PERSONAL_CHATS } from "./chats.ts";
import { FAILURES } from "./failures.ts";
import { LinkedDeviceServer } from "./linked-device-server.ts";
import { MediaStore } from "./media-store.ts";
import { node } from "./nodes.ts";
import { PersonalWorld } from "./world.ts";
import { type PersonalInbound, revoke, write } from "./written-message.ts";

/**
 * WhatsApp's server for linked devices on this machine, with a handful of people on phones. It speaks to Baileys as the
 * real one does: the encrypted socket, linking by a code, Signal sessions with every person's phone, groups with sender
 * keys, files that only their receivers can read.
 */
export class WhatsAppPersonalEmulator extends EmulatorBase {
  readonly platform = "whatsapp";
  /** What WhatsApp knows, and its connections, for tests that need more than this class offers. */
  readonly world: PersonalWorld;
  readonly #root = Curve.generateKeyPair();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #media = new MediaStore(() => this.url);
  readonly server: LinkedDeviceServer;

  private constructor({ clock }: EmulatorOptions) {
    super({ clock, failures: FAILURES });
    this.world = new PersonalWorld({ number: PERSONAL_CHATS.self, name: "Hermes" }, this.clock);
    this.server = new LinkedDeviceServer({
      world: this.world,
      script: this.script,
      log: this.requests,
      media: this.#media,
      root: this.#root,
    });
    const ada = this.world.add(PERSONAL_CHATS.ada, "Ada");
    const bob = this.world.add(PERSONAL_CHATS.bob, "Bob");
    this.world.addGroup(PERSONAL_CHATS.group, "The team", [ada, bob]);
    this.world.addGroup(PERSONAL_CHATS.otherGroup, "The others", [ada, bob]);
  }

  static start(options: EmulatorOptions = {}): Promise<WhatsAppPersonalEmulator> {
    return new WhatsAppPersonalEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#media.answer(request, response);
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.url !== "/ws/chat" || this.script.take("connect") !== null) {
      socket.end("HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\r\n");
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (ws) => this.server.accept(ws));
  }

  protected override disconnect(): void {
    for (const session of this.server.sessions) session.cut();
  }

  protected override stop(): void {
    this.disconnect();
  }

  get options(): { readonly transport: "personal"; readonly socketUrl: string; readonly certificateRoot: string } {
    const certificateRoot = Buffer.from(this.#root.public).toString("hex");
    return { transport: "personal", socketUrl: `${this.url.replace("http", "ws")}/ws/chat`, certificateRoot };
  }

  get chats(): readonly EmulatedChat[] {
    return [...this.world.chats.values()].map(({ id, name, kind }) => ({
      id,
      name,
      kind,
      hasThreads: false,
      label: kind === "group" ? "group" : id === PERSONAL_CHATS.self ? "the account itself" : "chat",
    }));
  }

  get people(): readonly EmulatedPerson[] {
    return this.world.people.map(({ number, name }) => ({ id: number, name }));
  }

  get isConnected(): boolean {
    return this.server.sessions.some(({ device, isOpen }) => device !== null && isOpen);
  }

  messages(chatId: string): readonly EmulatedMessage[] {
    return this.world.chat(chatId).messages;
  }

  async receive(message: PersonalInbound): Promise<{ readonly messageId: string }> {
    const context = { world: this.world, keepFile: (body: Buffer) => this.#media.keep(body) };
    const { messageId } = await this.server.deliver(() => write(context, message));
    return { messageId: message.editOf ?? messageId };
  }

  async retract(message: EmulatedRetraction): Promise<void> {
    await this.server.deliver(async () => revoke(this.world, message));
  }

  sendUnreadable(at: EmulatedPlace): Promise<{ readonly messageId: string }> {
    return this.receive({ ...at, text: "", content: { stickerMessage: { mimetype: "image/webp" } } });
  }

  /** WhatsApp takes no files with more bytes than this, encrypted. */
  takeFilesUpTo(bytes: number): void {
    this.#media.largest = bytes;
  }

  /** The account's phone scans the code that a device shows. */
  scan(code: string): void {
    this.server.scan(code);
  }

  /** A number is taken over by the person of another chat, and nobody is told. Who had it has `next` now. */
  passNumber(chatId: string, { to, next }: { readonly to: string; readonly next: string }): void {
    const [person] = this.world.chat(chatId).members;
    const [other] = this.world.chat(to).members;
    if (person === undefined || other === undefined) throw new Error("there is nobody in the chat");
    other.number = person.number;
    person.number = next;
  }

  /** The id by which WhatsApp names a person who hides the number. */
  hiddenIdOf(chatId: string): string {
    return `${this.world.chat(chatId).members[0]?.lid}@lid`;
  }

  /** Another program uses the same credentials: whoever was connected is put out. */
  replace(): void {
    for (const session of this.server.sessions) session.end("440", node("conflict", { type: "replaced" }));
  }

  /** The account's phone removes the linked devices. */
  logOut(): void {
    this.world.devices.clear();
    for (const session of this.server.sessions) session.end("401", node("conflict", { type: "device_removed" }));
  }

  /** WhatsApp closes the account: whoever logs in is told so. */
  ban(): void {
    this.server.isBanned = true;
    this.disconnect();
  }

  /** The server asks every client to connect anew. */
  restart(): void {
    for (const session of this.server.sessions) session.end("515");
  }
}
