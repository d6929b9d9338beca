import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Identities, KeptJson, type KnownPerson, type PeopleAt, type PlatformId } from "@hermes/core";
import { isPhoneNumber } from "./source.ts";

/**
 * Who is who. WhatsApp calls one person by several ids: by the number, and by one that hides it; which of them stands
 * in a message changes from one to the next. The one that hides the number is theirs; the number may be somebody else's
 * tomorrow. A person's session must not fork by that, so the conversation keeps the id that it began with.
 */
export class People {
  readonly #identities: Identities;

  constructor(identities: Identities) {
    this.#identities = identities;
  }

  /** Who wrote, by all ids that a message tells, the one that it came from first. */
  note(ids: readonly string[]): Promise<KnownPerson> {
    // The number is what configs and people name.
    const keys = [...ids].sort((a, b) => Number(isPhoneNumber(b)) - Number(isPhoneNumber(a)));
    return this.#identities.note(ids.map(platformId), keys);
  }

  /** Notes that WhatsApp gave the person with the ids `from` the ids `to`. */
  async link(from: readonly string[], to: readonly string[]): Promise<void> {
    if (to.length > 0) await this.#identities.link(from.map(platformId), to.map(platformId));
  }

  /** Whose id it is now; null for somebody unknown. */
  holder(id: string): Promise<KnownPerson | null> {
    return this.#identities.holder(id);
  }

  /** The person whom a config names, by the id that their conversation is kept under or by any other. */
  async named(id: string): Promise<KnownPerson | null> {
    return (await this.#identities.person(id)) ?? (await this.#identities.holder(id));
  }

  /** The same, and known from now on: their conversation has this id, whatever is learnt of them. */
  async meet(id: string): Promise<KnownPerson> {
    return (await this.named(id)) ?? (await this.#identities.meet(platformId(id)));
  }

  /** The id that the person of a conversation is reached by: of those that fit the one that the last message came from. */
  async addressOf(chatId: string, fits: (id: string) => boolean): Promise<string | null> {
    const person = await this.#identities.person(chatId);
    const ids = person?.ids.map(({ id }) => id) ?? [];
    return (ids.length > 0 ? ids : [chatId]).find(fits) ?? null;
  }

  /** Whose conversation that is, by what WhatsApp tells of ids. */
  async at(chatId: string): Promise<PeopleAt> {
    const [person, holder] = [await this.#identities.person(chatId), await this.#identities.holder(chatId)];
    // The number is somebody else's by now.
    if (person && holder && person.key !== holder.key) return { ids: [person.key, holder.key], isFixed: false };
    const one = person?.ids.length === 0 ? null : (person ?? holder);
    return { ids: one ? [one.key] : [], isFixed: true };
  }
}

/** A number may pass to somebody else; the ids that hide one do not. */
function platformId(id: string): PlatformId {
  return { id, strength: isPhoneNumber(id) ? "weak" : "strong" };
}

/** Moves what earlier versions kept in a file to Hermes. */
export async function adoptPeople(folder: string, identities: Identities): Promise<void> {
  const path = join(folder, "people.json");
  const people = new KeptJson<{ readonly chatId: string; readonly ids: readonly string[] }[]>(path, {
    empty: [],
  }).read();
  if (people.length === 0) return;
  await identities.adopt(people.map(({ chatId, ids }) => ({ key: chatId, ids: ids.map(platformId) })));
  rmSync(path);
}
