import {
  type Conversation,
  type Identities,
  type PlatformId,
  type PluginDeps,
  RecentMap,
  reasonOf,
  type Sender,
  senderOf,
} from "@hermes/core";
import type { Api } from "./api.ts";
import type { IMessageOptions } from "./config.ts";
import { errors } from "./errors.ts";
import { addressOf, canonicalId, isGroup, isMail, isSmsId, isTextChat, smsId } from "./source.ts";
import { contactsAnswer, loginsOf, type ServerInfo, type WireChat } from "./wire.ts";

const MOST_CHATS = 5_000;
const MOST_PEOPLE = 1_000;

interface Card {
  readonly name: string | undefined;
  /** The one card's addresses, which are one person's. */
  readonly addresses: readonly string[];
}

export interface DirectoryParts extends Pick<PluginDeps<IMessageOptions>, "logger" | "options"> {
  readonly api: Api;
  /** Left out where nothing is to be kept: everybody has one id then. */
  readonly identities?: Identities;
}

/** Knows the Mac's chats by their people, and people by the Mac's contacts. */
export class Directory {
  readonly #parts: DirectoryParts;
  /** By guid, the one that was heard of last at the end. */
  readonly #chats = new RecentMap<string, WireChat>(MOST_CHATS);
  readonly #cards = new RecentMap<string, Card>(MOST_PEOPLE);
  #self: ReadonlySet<string> = new Set();
  #system: string | null = null;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  /** The first address of the account, and how the Mac calls its chats. */
  learn(info: ServerInfo): void {
    const { os_version: system = null } = info;
    // The login is that of the newest chat: another one, or none, tells nothing of those that were told before.
    this.#self = new Set([...this.#self, ...loginsOf(info).map(canonicalId), ...this.#parts.options.ownAddresses]);
    // A new macOS calls every chat by another guid.
    if (system !== this.#system) this.forget();
    this.#system = system;
  }

  /** An address of the account itself. */
  get self(): string | undefined {
    return [...this.#self][0];
  }

  isSelf(address: string | null | undefined): boolean {
    return this.#self.has(canonicalId(address ?? ""));
  }

  /** A chat as an event or an answer has it. */
  note(chat: WireChat): void {
    const { participants } = this.#chats.get(chat.guid) ?? chat;
    this.#chats.set(chat.guid, chat.participants.length > 0 ? chat : { ...chat, participants });
  }

  /** Forgets the chats, and what contacts said: both are asked for again. */
  forget(): void {
    this.#chats.clear();
    this.#cards.clear();
  }

  /** The chat of a conversation, by the address that its person wrote from last. Throws PLATFORM_NOT_FOUND. */
  async chat({ chatId, kind }: Pick<Conversation, "chatId" | "kind">, signal?: AbortSignal): Promise<WireChat> {
    const ids = kind === "group" ? [chatId] : await this.#addressesOf(chatId);
    const known = this.#find(ids, kind === "group");
    if (known !== null) return known;
    for (const chat of await this.#parts.api.chats(signal)) this.note(chat);
    const found = this.#find(ids, kind === "group");
    if (found !== null) return found;
    throw errors.notFound(
      `the Mac has no iMessage chat with ${addressOf(chatId)}`,
      "Write to Hermes once from there, by iMessage, and check the id in the config.",
    );
  }

  /** Who somebody is by one of their addresses, together with those of their card in the Mac's contacts. */
  async sender(address: string, isText: boolean): Promise<Sender> {
    const id = isText ? smsId(address) : canonicalId(address);
    const { name, addresses } = await this.card(id);
    const named = name === undefined ? {} : { name };
    if (isText) return { id, ...named };
    const others = addresses.filter((other) => other !== id);
    const person = await this.#parts.identities?.note([id, ...others].map(platformId));
    return { ...(person ? senderOf(person) : { id }), ...named };
  }

  /** What the Mac's contacts say of an address; two cards with it say nothing of whose it is. */
  async card(id: string): Promise<Card> {
    const known = this.#cards.get(id);
    if (known !== undefined) return known;
    try {
      const [card, ...more] = await this.#cardsWith([id]);
      const ofOne = card && more.length === 0 ? card.addresses : [];
      // An address on somebody else's card, too, is not this one's alone: that one would be taken for them.
      const all = ofOne.length > 1 ? await this.#cardsWith(ofOne) : [];
      const addresses = ofOne.filter((one) => all.filter((other) => other.all.includes(one)).length === 1);
      const found: Card = { name: card?.name, addresses };
      this.#cards.set(id, found);
      return found;
    } catch (error) {
      this.#parts.logger.debug({ reason: reasonOf(error) }, "the Mac's contacts could not be asked");
      return { name: undefined, addresses: [] };
    }
  }

  /** The cards with one of some addresses, each once. The server also finds those of numbers that end alike. */
  async #cardsWith(ids: readonly string[]): Promise<readonly (Card & { readonly all: readonly string[] })[]> {
    const asked = ids.map(addressOf);
    const json = { addresses: asked };
    const cards = await this.#parts.api.read(contactsAnswer, { method: "POST", path: "contact/query", json });
    const found = cards.flatMap(({ displayName, phoneNumbers, emails }) => {
      const numbers = phoneNumbers.map((line) => canonicalId(line.address));
      const all = [...numbers, ...emails.map((line) => canonicalId(line.address))];
      if (!asked.some((address) => all.includes(canonicalId(address)))) return [];
      // Somebody with several numbers is told by the mail addresses.
      return [{ name: displayName || undefined, addresses: numbers.length > 1 ? all.filter(isMail) : all, all }];
    });
    return [...new Map(found.map((card) => [JSON.stringify(card), card])).values()];
  }

  async #addressesOf(chatId: string): Promise<readonly string[]> {
    if (isSmsId(chatId)) return [chatId];
    return (await this.#parts.identities?.person(chatId))?.ids.map(({ id }) => id) ?? [chatId];
  }

  /** The chat with the first of the addresses that has one; of several, that which was heard of last. */
  #find(ids: readonly string[], isInGroup: boolean): WireChat | null {
    const chats = [...this.#chats.values()].reverse().filter((chat) => isGroup(chat) === isInGroup);
    for (const id of ids) {
      const address = canonicalId(addressOf(id));
      const found = chats.find(
        (chat) => canonicalId(identifierOf(chat)) === address && (isInGroup || isTextChat(chat) === isSmsId(id)),
      );
      if (found !== undefined) return found;
    }
    return null;
  }
}

/** What of a chat's guid names it: an address, or a group. */
export function identifierOf({ guid, chatIdentifier }: WireChat): string {
  return chatIdentifier || guid.replace(/^[^;]+;[+-];/, "");
}

/** A number passes to somebody else when it is given up; a mail address of an Apple account does not. */
export function platformId(id: string): PlatformId {
  return { id, strength: isMail(id) ? "strong" : "weak" };
}
