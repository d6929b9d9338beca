import {
  CannotEmulate,
  type EmulatedChat,
  type EmulatedInbound,
  type EmulatedMessage,
  type EmulatedPress,
  type EmulatedThread,
  type Emulator,
  type EmulatorFailure,
  type EmulatorLogEntry,
} from "@hermes/emulator";
import type { WhatsAppCloudEmulator } from "./cloud/cloud-emulator.ts";
import { PERSONAL_CHATS } from "./personal/chats.ts";
import type { WhatsAppPersonalEmulator } from "./personal/personal-emulator.ts";

/** What a device shows to be linked, as `hermes whatsapp link --text` prints it. */
const LINKING_CODE = /^\s*(https:\/\/wa\.me\/settings\/linked_devices#\S+)\s*$/;

/**
 * Both ways to WhatsApp for whoever tries it by hand: which one is taken the config says by its `transport`. A linking
 * code that is written in the account's own chat is scanned by the account's phone.
 */
export class BothTransports implements Emulator {
  readonly platform = "whatsapp";
  readonly #cloud: WhatsAppCloudEmulator;
  readonly #personal: WhatsAppPersonalEmulator;

  constructor(cloud: WhatsAppCloudEmulator, personal: WhatsAppPersonalEmulator) {
    this.#cloud = cloud;
    this.#personal = personal;
  }

  get url(): string {
    return this.#cloud.url;
  }

  get options(): Emulator["options"] {
    return { ...this.#personal.options, ...this.#cloud.options };
  }

  get chats(): readonly EmulatedChat[] {
    return [this.#cloud, this.#personal].flatMap(({ chats, options: { transport } }) =>
      chats.map((chat) => ({ ...chat, label: `${transport}: ${chat.label}` })),
    );
  }

  get people(): Emulator["people"] {
    return [...this.#cloud.people, ...this.#personal.people];
  }

  get log(): readonly EmulatorLogEntry[] {
    return [...this.#cloud.log, ...this.#personal.log].sort((one, other) => one.at - other.at);
  }

  get isConnected(): boolean {
    return this.#cloud.isConnected || this.#personal.isConnected;
  }

  messages(chatId: string): readonly EmulatedMessage[] {
    return this.#of(chatId).messages(chatId);
  }

  threads(): readonly EmulatedThread[] {
    return [];
  }

  async receive(message: EmulatedInbound): Promise<{ readonly messageId: string }> {
    const [, code] = LINKING_CODE.exec(message.text) ?? [];
    if (code === undefined || message.chatId !== PERSONAL_CHATS.self) return this.#of(message.chatId).receive(message);
    this.#personal.scan(code);
    return { messageId: "scanned" };
  }

  async press(pressed: EmulatedPress): Promise<void> {
    const transport = this.#of(pressed.chatId);
    if (transport.press === undefined) throw new CannotEmulate("a linked device sends no buttons");
    await transport.press(pressed);
  }

  get failures(): Emulator["failures"] {
    return this.#connected.failures;
  }

  /** Happens to the transport that is connected. */
  fail(failure: EmulatorFailure): void {
    this.#connected.fail(failure);
  }

  heal(): void {
    this.#cloud.heal();
    this.#personal.heal();
  }

  removeThread(): void {
    throw new CannotEmulate("WhatsApp has no threads");
  }

  async close(): Promise<void> {
    await Promise.all([this.#cloud.close(), this.#personal.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #connected(): Emulator {
    return this.#personal.isConnected ? this.#personal : this.#cloud;
  }

  #of(chatId: string): Emulator {
    return this.#cloud.chats.some(({ id }) => id === chatId) ? this.#cloud : this.#personal;
  }
}
