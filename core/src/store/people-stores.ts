import type { FormerPerson, KnownPerson } from "../adapter/identity.ts";
import type { HomeName, HomePerson, SeenHome } from "../model/home-person.ts";
import type { Identity, IdentityLink, IdentityNote, IdentityScope } from "../model/identity.ts";
import type { UserId } from "../model/session.ts";

/** Stores the names of people, and counts the messages of strangers. */
export interface UserStore {
  /** Notes the name that a user goes by. */
  note(user: UserId, name: string): Promise<void>;
  name(user: UserId): Promise<string | null>;
  /** Counts a message of somebody who is not allowed. Nothing else is kept of it. */
  countRefused(platform: string, account: string | undefined): Promise<void>;
  refused(platform: string, account: string | undefined): Promise<number>;
}

/** Who is who. The rules stand at {@link Identities}; each call is one step. */
export interface IdentityStore {
  note(scope: IdentityScope, note: IdentityNote): Promise<KnownPerson>;
  link(scope: IdentityScope, link: IdentityLink): Promise<KnownPerson>;
  /** By key. Somebody of whom all ids were taken is still there, without ids. */
  person(scope: IdentityScope, key: string): Promise<KnownPerson | null>;
  /** Whose id it is now. */
  holder(scope: IdentityScope, id: string): Promise<KnownPerson | null>;
  adopt(scope: IdentityScope, people: readonly FormerPerson[]): Promise<void>;
  /** All that is kept, by platform, account and person; what was theirs before stands behind what is. */
  list(): Promise<Identity[]>;
}

export interface HomePeople {
  get(home: HomeName): Promise<HomePerson | null>;
  /**
   * Takes over what the platform says of a home channel; returns what is recorded. The first call for a name decides:
   * where it is private with one person in it, and either nobody else can ever have been there or no message of the chat
   * was ever taken in, that person is recorded; else nobody is, and the terminal asks. Later calls change `present` and
   * `isPrivate` alone.
   */
  see(home: SeenHome): Promise<HomePerson>;
  /**
   * Records who is the operator, whatever stood there. In the terminal the id may be one of several of a person's; a
   * conversation that is kept under the home channel's own chat id is that person's from then on.
   */
  set(home: Omit<SeenHome, "isFixed">, person: string, word: "sethome" | "terminal"): Promise<HomePerson>;
  /** The terminal has asked or told about those who are there now. */
  told(home: HomeName): Promise<void>;
  list(): Promise<HomePerson[]>;
}
