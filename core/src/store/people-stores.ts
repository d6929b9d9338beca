import type { FormerPerson, KnownPerson } from "../adapter/identity.ts";
import type { Holder } from "../base/process-identity.ts";
import type { NewGrants, PublishedGrants } from "../model/grants.ts";
import type { HomeName, HomePerson, SeenHome } from "../model/home-person.ts";
import type { Identity, IdentityLink, IdentityNote, IdentityScope } from "../model/identity.ts";
import type { IdentityKey, LinkWord, Person, PersonRole, StandingOf } from "../model/person.ts";
import type { UserId } from "../model/session.ts";

/** Stores the names of people, and counts the messages of strangers. */
export interface UserStore {
  /** Stores the current name of a user. */
  note(user: UserId, name: string): Promise<void>;
  name(user: UserId): Promise<string | null>;
  /** Counts a message of somebody who is not allowed. Nothing else about it is stored. */
  countRefused(platform: string, account: string | undefined): Promise<void>;
  refused(platform: string, account: string | undefined): Promise<number>;
}

/** Stores which ids belong to which person. {@link Identities} has the rules; each call is atomic. */
export interface IdentityStore {
  note(scope: IdentityScope, note: IdentityNote): Promise<KnownPerson>;
  link(scope: IdentityScope, link: IdentityLink): Promise<KnownPerson>;
  /** Finds a person by key, even one who has lost all ids. */
  person(scope: IdentityScope, key: string): Promise<KnownPerson | null>;
  /** Finds the person who has an id now. */
  holder(scope: IdentityScope, id: string): Promise<KnownPerson | null>;
  adopt(scope: IdentityScope, people: readonly FormerPerson[]): Promise<void>;
  part(scope: IdentityScope): Promise<void>;
  /** Lists all ids by platform, account and person, former ids after current ones. */
  list(): Promise<Identity[]>;
}

export interface HomePeople {
  get(home: HomeName): Promise<HomePerson | null>;
  /**
   * Stores what the platform reports about a home channel, and returns the record. The first call for a name decides who
   * is the operator there: the one person in a private chat, if nobody else can ever have been in it or no message of it
   * was ever accepted; otherwise nobody, and the terminal asks. Later calls change only `present` and `isPrivate`.
   */
  see(home: SeenHome): Promise<HomePerson>;
  /**
   * Records the operator, replacing any earlier one. From the terminal, `person` may be any of a person's ids. If
   * somebody is stored under the home channel's own chat id, that key, and so its conversation, becomes the operator's.
   */
  set(home: Omit<SeenHome, "isFixed">, person: string, word: "sethome" | "terminal"): Promise<HomePerson>;
  /** Records that the terminal has asked or told somebody about the people who are there now. */
  told(home: HomeName): Promise<void>;
  list(): Promise<HomePerson[]>;
}

/**
 * Stores people and the identities that are linked to them. `operator`, the person at the terminal, is always there, as an
 * operator. Each call is atomic, and rights that it takes away end what runs by them: turns of those identities are asked
 * to stop in the same step.
 */
export interface PeopleStore {
  /** Throws PERSON_NAME_TAKEN, PERSON_NAME_INVALID. */
  add(person: { readonly name: string; readonly role: PersonRole }): Promise<Person>;
  get(id: UserId): Promise<Person | null>;
  /** Finds the people whom somebody may mean: by id or whole name, else by a part of a name. */
  find(reference: string): Promise<Person[]>;
  /** Lists people: the operator, then the others by name. */
  list(): Promise<Person[]>;
  /** Null when there is no such person. Throws PERSON_IS_TERMINAL for the operator. */
  setRole(id: UserId, role: PersonRole): Promise<Person | null>;
  /** Null when there is no such person. Throws PERSON_NAME_TAKEN, PERSON_NAME_INVALID. */
  rename(id: UserId, name: string): Promise<Person | null>;
  /**
   * Removes a person: their identities are linked to nobody, their codes and passes are over. Sessions that they began
   * stay, and are the operator's to see. False when there is no such person. Throws PERSON_IS_TERMINAL.
   */
  remove(id: UserId): Promise<boolean>;
  /**
   * Makes an identity a person's, and with it the sessions that it began, of which a title that the person has already gets
   * a number. On a platform that knows people by several ids
   * the identity must be kept first (`identities.note`). Where it is somebody else's already, nothing changes. Throws
   * PERSON_UNKNOWN.
   */
  link(identity: IdentityKey, person: UserId, word: LinkWord, name: string | null): Promise<"linked" | "other-person">;
  /** False when the identity is nobody's. What it began stays with the person. */
  unlink(identity: IdentityKey): Promise<boolean>;
  /** Finds the person whose identity this is. */
  of(scope: IdentityScope, key: string): Promise<Person | null>;
  /**
   * When identities had a message answered last, of late: those whose turns are not pruned. `of`: null for the
   * terminal.
   */
  lastSeen(): Promise<{ readonly of: IdentityKey | null; readonly at: number }[]>;
  /** Looks up what the store grants to an identity now. Asked for each message. */
  standing(scope: IdentityScope, key: string): Promise<StandingOf>;
}

/** Stores who may do what on each platform account, as the gateway that serves it says. */
export interface GrantStore {
  /**
   * Replaces what is published of an account, and raises the version if it differs. False, and nothing is written, unless
   * `holder` has the account's lease.
   */
  publish(grants: NewGrants, holder: Holder): Promise<boolean>;
  /**
   * What applies at this moment: published by the process that has the account's lease now, with the person who is
   * recorded for its home channel now, and the people of the store. Null while there is no such process, or it has
   * published nothing.
   */
  current(scope: IdentityScope): Promise<PublishedGrants | null>;
}
