import type { Sender } from "./message.ts";

/**
 * One of the ids by which a platform knows a person. A `strong` one is theirs for good: an account's id, a UUID, an id
 * that hides a number. A `weak` one may pass to somebody else: a phone number. A person has one weak id at a time.
 */
export interface PlatformId {
  readonly id: string;
  readonly strength: "strong" | "weak";
}

/** Somebody who is known by several ids. */
export interface KnownPerson {
  /** Stands for the person, whatever ids come and go: the chat id that their private conversation is kept under. */
  readonly key: string;
  /** The ids that are theirs now, the one that the last message came from first: that is where to write to. */
  readonly ids: readonly PlatformId[];
  /**
   * Those of them that a config may name, strong ones first. A weak id that was somebody else's before is not among
   * them: whoever wrote it down may have meant the other one.
   */
  readonly grants: readonly string[];
  /** Whether the store knows them. Nothing is kept of somebody until they are allowed to talk to the agent. */
  readonly isKept: boolean;
}

/** Ids that the plugin kept itself before, as one person's. */
export interface FormerPerson {
  readonly key: string;
  readonly ids: readonly PlatformId[];
}

/** The sender of a message, by what {@link Identities.note} returned. */
export function senderOf(person: KnownPerson): Sender {
  const [id = person.key, ...aliases] = person.grants;
  return { id, ...(aliases.length > 0 ? { aliases } : {}), person };
}

/**
 * Who is who on one platform account, kept in the store: for platforms that call one person by several ids. Core sees to
 * it that ids are joined by the platform's own word only, and that two strong ids are never one person because they
 * share a weak one.
 *
 * ```ts
 * const person = await identities.note([{ id: uuid, strength: "strong" }, { id: number, strength: "weak" }]);
 * context.receive({ conversation: conversationOf(person.key), sender: senderOf(person), … });
 * ```
 */
export interface Identities {
  /**
   * Takes over what one message says: that these ids are one person's now, the one that it came from first. A weak id
   * leaves whoever had it before. `keys`: what may be the key of somebody new, the best first; the ids in their order
   * unless given.
   */
  note(ids: readonly PlatformId[], keys?: readonly string[]): Promise<KnownPerson>;
  /**
   * Takes over that the platform itself says who had the ids `from` has the ids `to` now. What is in `from` alone is
   * nobody's afterwards, and strong ids on both sides are one person's.
   */
  link(from: readonly PlatformId[], to: readonly PlatformId[]): Promise<KnownPerson>;
  /** The person of that key, who may have lost every id; null for somebody unknown. */
  person(key: string): Promise<KnownPerson | null>;
  /** Whose id it is now. */
  holder(id: string): Promise<KnownPerson | null>;
  /** Whether somebody has a role here by an account of theirs that is linked, beside what the config says of the id. */
  isLinked(id: string): Promise<boolean>;
  /** Keeps somebody whom the config or a person named, so that their conversation has that id whatever is learnt later. */
  meet(id: PlatformId): Promise<KnownPerson>;
  /**
   * Takes over what the plugin kept in a file of its own, once: who is known already stays as they are. Where strong ids
   * were joined by a weak one they are parted, and the terminal lists them.
   */
  adopt(people: readonly FormerPerson[]): Promise<void>;
  /**
   * Parts people whom `note` gave several strong ids, for a plugin that took them for one person's without the platform's own
   * word: their conversation stays with the id that names it, and the terminal lists them.
   */
  part(): Promise<void>;
}
