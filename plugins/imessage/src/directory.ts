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

export interface DirectoryParts extends Pick<PluginDeps<IMessageOptions>, "logger" | "options"> {
  readonly api: Api;
  /** Left out where nothing is to be kept: everybody has one id then. */
  readonly identities?: Identities;
}

/** Knows the Mac's chats by their people, and the names of people by the Mac's contacts. */
export class Directory {
  readonly #parts: DirectoryParts;
  /** By guid, the one that was heard of last at the end. */
  readonly #chats = new RecentMap<string, WireChat>(MOST_CHATS);
  /** What contacts call an address, also where that is nothing. */
  readonly #names = new RecentMap<string, { readonly name: string | undefined }>(MOST_PEOPLE);
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
    this.#names.clear();
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

  /** Who somebody is by the address that a message came from. A card of the Mac's contacts gives a name, and joins nobody. */
  async sender(address: string, isText: boolean): Promise<Sender> {
    const id = isText ? smsId(address) : canonicalId(address);
    const name = await this.nameOf(id);
    const named = name === undefined ? {} : { name };
    if (isText) return { id, ...named };
    const person = await this.#parts.identities?.note([platformId(id)]);
    return { ...(person ? senderOf(person) : { id }), ...named };
  }

  /** What the Mac's contacts call an address. */
  async nameOf(id: string): Promise<string | undefined> {
    const known = this.#names.get(id);
    if (known !== undefined) return known.name;
    try {
      const name = await this.#nameIn(addressOf(id));
      this.#names.set(id, { name });
      return name;
    } catch (error) {
      this.#parts.logger.debug({ reason: reasonOf(error) }, "the Mac's contacts could not be asked");
      return undefined;
    }
  }

  /** The name on the first card with an address. The server also finds cards with a number that ends alike. */
  async #nameIn(address: string): Promise<string | undefined> {
    const json = { addresses: [address] };
    const cards = await this.#parts.api.read(contactsAnswer, { method: "POST", path: "contact/query", json });
    const card = cards.find(({ phoneNumbers, emails }) =>
      [...phoneNumbers, ...emails].some((line) => canonicalId(line.address) === canonicalId(address)),
    );
    return card?.displayName || undefined;
  }

  async #addressesOf(chatId: string): Promise<readonly string[]> {
    if (isSmsId(chatId)) return [chatId];
    const person = await errors.beforehand(() => this.#parts.identities?.person(chatId));
    return person?.ids.map(({ id }) => id) ?? [chatId];
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
