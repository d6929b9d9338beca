import { createHash } from "node:crypto";
import type { Clock } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import type { WireAddress } from "./wire.ts";

/** Somebody with an account. */
export interface Person extends WireAddress {
  name: string;
  isRegistered: boolean;
  /** The safety number changed, and the daemon has not been told to trust it. */
  isUntrusted: boolean;
  /** The daemon has met this person before. */
  isKnown: boolean;
  isBlocked: boolean;
}

export interface Group {
  /** In the standard alphabet of base64. */
  readonly id: string;
  readonly name: string;
  readonly members: readonly Person[];
  isMember: boolean;
  isBlocked: boolean;
  onlyAdminsSend: boolean;
}

export interface StoredMessage {
  readonly author: string;
  readonly timestamp: number;
  text: string;
  raw: unknown;
  isEdited: boolean;
  readonly files: readonly EmulatedFile[];
}

/** The account that Hermes writes as. */
export const SELF: Person = {
  ...{ name: "Hermes", uuid: "0a0a0a0a-1111-4222-8333-444455556666", number: "+4915550000000" },
  ...{ isRegistered: true, isUntrusted: false, isKnown: true, isBlocked: false },
};

export function makePerson(name: string, uuid: string, number: string | null): Person {
  return { name, uuid, number, isRegistered: true, isUntrusted: false, isKnown: true, isBlocked: false };
}

export function groupIdOf(name: string): string {
  return createHash("sha256").update(name).digest("base64");
}

/** Everything that Signal and the daemon's own store know. */
export class World {
  readonly people: Person[] = [];
  readonly groups: Group[] = [];
  /** What came from people whose safety number is not trusted ("MessageCache"). */
  readonly #unread: { readonly author: Person; readonly event: unknown }[] = [];
  /** Hears of what can be read now. */
  onReadable: (event: unknown) => void = () => {};
  readonly attachments = new Map<string, Buffer>();
  /** Runs with `--ignore-attachments`. */
  ignoresAttachments = false;
  /** By the id of a person or a group. */
  readonly #messages = new Map<string, StoredMessage[]>();
  readonly #clock: Clock;
  #lastTimestamp = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** By number or service id. */
  person(id: string): Person | undefined {
    return [SELF, ...this.people].find(({ uuid, number }) => uuid === id || number === id);
  }

  group(id: string): Group | undefined {
    return this.groups.find((group) => group.id === id);
  }

  messagesIn(chatId: string): StoredMessage[] {
    const messages = this.#messages.get(chatId) ?? [];
    this.#messages.set(chatId, messages);
    return messages;
  }

  keepUnread(author: Person, event: unknown): void {
    this.#unread.push({ author, event });
  }

  /** Trusts a person's safety number: what was kept is read. */
  trust(person: Person): void {
    person.isUntrusted = false;
    const readable = this.#unread.filter(({ author }) => author === person);
    for (const one of readable) {
      this.#unread.splice(this.#unread.indexOf(one), 1);
      this.onReadable(one.event);
    }
  }

  /** Every message has a time of its own, in milliseconds ("Ensure every sent message gets a unique timestamp"). */
  newTimestamp(): number {
    this.#lastTimestamp = Math.max(this.#clock.now(), this.#lastTimestamp + 1);
    return this.#lastTimestamp;
  }

  attach(content: string | Uint8Array): string {
    const id = `${createHash("sha256").update(`${this.attachments.size} `).update(content).digest("hex").slice(0, 20)}.bin`;
    this.attachments.set(id, Buffer.from(content));
    return id;
  }
}
