import { createHash } from "node:crypto";
import type { Clock } from "@hermes/core";
import type { EmulatedMessage } from "@hermes/emulator";
import { type KeyBundle, SignalDevice } from "./signal-device.ts";

/** Somebody with WhatsApp on a phone. */
export interface Person {
  number: string;
  /** The id that hides the number, without its server. */
  readonly lid: string;
  name: string;
  readonly phone: SignalDevice;
}

interface StoredMessage extends EmulatedMessage {
  text: string;
  isEdited: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A chat with one person, or a group. */
export interface Chat {
  readonly id: string;
  readonly name: string;
  readonly kind: "dm" | "group";
  /** Of a group: everybody in it but the account. */
  readonly members: readonly Person[];
  readonly messages: StoredMessage[];
  /** How the server names the sender of a message: both ids, or only the one that hides the number. */
  addressing: "number" | "lid" | "only-lid";
  /** Of a group: whether the account is in it, and whether only administrators may write. */
  hasAccount: boolean;
  isForAdmins: boolean;
  /** Devices of the account that have each member's key for the group. */
  readonly keyedDevices: Set<string>;
}

/** A device of the account, after its code was scanned: what Hermes is. */
export interface LinkedDevice {
  readonly number: number;
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  registrationId: number;
  signed: KeyBundle["signed"];
  readonly oneTime: NonNullable<KeyBundle["oneTime"]>[];
}

/** What WhatsApp keeps: people, their chats with the account, and the account's devices. */
export class PersonalWorld {
  readonly clock: Clock;
  readonly owner: Person;
  readonly people: Person[] = [];
  readonly chats = new Map<string, Chat>();
  readonly devices = new Map<number, LinkedDevice>();
  #ids = 0;
  #devices = 0;

  constructor(owner: { readonly number: string; readonly name: string }, clock: Clock) {
    this.clock = clock;
    this.owner = makePerson(owner.number, owner.name);
    // “Message yourself”.
    this.#addChat({ id: owner.number, name: owner.name, kind: "dm", members: [this.owner] });
  }

  add(number: string, name: string): Person {
    const person = makePerson(number, name);
    this.people.push(person);
    this.#addChat({ id: number, name, kind: "dm", members: [person] });
    return person;
  }

  addGroup(id: string, name: string, members: readonly Person[]): void {
    this.#addChat({ id, name, kind: "group", members });
  }

  /** Seconds since 1970. */
  seconds(): number {
    return Math.floor(this.clock.now() / 1_000);
  }

  chat(id: string): Chat {
    const chat = this.chats.get(id);
    if (chat === undefined) throw new Error(`there is no chat ${id}`);
    return chat;
  }

  /** By a number or the id that hides one, in whatever form, also of a device. */
  find(jid: string): Person | undefined {
    const [user = "", server] = jid.split("@");
    const [id] = user.split(":");
    return [this.owner, ...this.people].find((person) => (server === "lid" ? person.lid : person.number) === id);
  }

  /** The chat with one person, whatever number they have by now. */
  chatWith(person: Person): Chat | undefined {
    return [...this.chats.values()].find(({ kind, members }) => kind === "dm" && members[0] === person);
  }

  newDeviceNumber(): number {
    return ++this.#devices;
  }

  newMessageId(): string {
    return `3A${createHash("sha256")
      .update(String(++this.#ids))
      .digest("hex")
      .slice(0, 18)
      .toUpperCase()}`;
  }

  #addChat(chat: Pick<Chat, "id" | "name" | "kind" | "members">): void {
    this.chats.set(chat.id, {
      ...chat,
      messages: [],
      addressing: "lid",
      hasAccount: true,
      isForAdmins: false,
      keyedDevices: new Set(),
    });
  }
}

export function numberJid(person: Person, device = 0): string {
  return `${person.number}${device === 0 ? "" : `:${device}`}@s.whatsapp.net`;
}

export function lidJid(person: Person, device = 0): string {
  return `${person.lid}${device === 0 ? "" : `:${device}`}@lid`;
}

function makePerson(number: string, name: string): Person {
  const lid = `1${createHash("sha256").update(number).digest().readUIntBE(0, 6).toString().padStart(14, "0").slice(-14)}`;
  return { number, lid, name, phone: new SignalDevice(`${lid}@lid`) };
}
