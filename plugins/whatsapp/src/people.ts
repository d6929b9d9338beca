import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Identities, KeptJson, type KnownPerson, type PeopleAt, type PlatformId } from "@hermes/core";
import { beforehand } from "./errors.ts";
import { isPhoneNumber } from "./source.ts";

/**
 * Knows which ids belong to one person. WhatsApp uses the number and an id that hides it, and messages have either or
 * both. The id that hides the number is the person's own; the number may pass to somebody else. A conversation keeps
 * the id that it began with, so that the session does not fork.
 */
export class People {
  readonly #identities: Identities;

  constructor(identities: Identities) {
    this.#identities = identities;
  }

  /** Notes a message's writer with all ids in the message, the sender's first. */
  note(ids: readonly string[]): Promise<KnownPerson> {
    // Prefer the number as key: configs and people use it.
    const keys = [...ids].sort((a, b) => Number(isPhoneNumber(b)) - Number(isPhoneNumber(a)));
    return this.#identities.note(ids.map(platformId), keys);
  }

  /** Records that WhatsApp gave the person with the ids `from` the ids `to`. */
  async link(from: readonly string[], to: readonly string[]): Promise<void> {
    if (to.length > 0) await this.#identities.link(from.map(platformId), to.map(platformId));
  }

  /** The person who has the id now; null if unknown. */
  holder(id: string): Promise<KnownPerson | null> {
    return this.#identities.holder(id);
  }

  /** The person whom a config names, by the conversation's id or any other; null if unknown. */
  async named(id: string): Promise<KnownPerson | null> {
    return (await this.#identities.person(id)) ?? (await this.#identities.holder(id));
  }

  /** The same, but creates an unknown person, whose conversation keeps this id whatever ids are learnt later. */
  async meet(id: string): Promise<KnownPerson> {
    return (await this.named(id)) ?? (await this.#identities.meet(platformId(id)));
  }

  /** The ids of a conversation's person, the one that the last message came from first. */
  async addressesOf(chatId: string): Promise<readonly string[]> {
    const person = await beforehand(() => this.#identities.person(chatId));
    const ids = person?.ids.map(({ id }) => id) ?? [];
    return ids.length > 0 ? ids : [chatId];
  }

  /** The other person of a conversation, as far as WhatsApp's ids tell. */
  async at(chatId: string): Promise<PeopleAt> {
    const [person, holder] = [await this.#identities.person(chatId), await this.#identities.holder(chatId)];
    // The number belongs to somebody else by now.
    if (person && holder && person.key !== holder.key) return { ids: [person.key, holder.key], isFixed: false };
    const one = person?.ids.length === 0 ? null : (person ?? holder);
    return { ids: one ? [one.key] : [], isFixed: true };
  }
}

/** A number may pass to somebody else; the ids that hide one do not. */
function platformId(id: string): PlatformId {
  return { id, strength: isPhoneNumber(id) ? "weak" : "strong" };
}

/** Moves the people in an earlier version's file to Hermes' own. */
export async function adoptPeople(folder: string, identities: Identities): Promise<void> {
  const path = join(folder, "people.json");
  const people = new KeptJson<{ readonly chatId: string; readonly ids: readonly string[] }[]>(path, {
    empty: [],
  }).read();
  if (people.length === 0) return;
  await identities.adopt(people.map(({ chatId, ids }) => ({ key: chatId, ids: ids.map(platformId) })));
  rmSync(path);
}
