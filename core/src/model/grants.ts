import type { SessionKey } from "../adapter/session-key.ts";
import type { IdentityScope } from "./identity.ts";
import type { PeopleGrants } from "./person.ts";

/** Who may do what on one platform account, as its config, its home channel and the store say. */
export interface Grants {
  readonly operators: readonly string[];
  /** `*` allows everybody. */
  readonly allowedUsers: readonly string[];
  readonly allowedBots: readonly string[];
  /** The private home channel and the key of the person who is the operator there; null where nobody is. */
  readonly home: { readonly chat: SessionKey; readonly person: string } | null;
  readonly people: PeopleGrants;
}

/**
 * What a gateway publishes of the account that it serves. Who is the operator at home is in {@link HomePerson}, and whom
 * the store knows as people is read at the moment of use.
 */
export interface NewGrants extends IdentityScope, Omit<Grants, "home" | "people"> {
  /** The home channel, as {@link HomeName} has it, and its private chat; null where there is none. */
  readonly home: { readonly chatId: string; readonly chat: SessionKey } | null;
}

/** Grants that the holder of the account's lease has published. */
export interface PublishedGrants extends Grants {
  /** From 1; rises with each publication that differs from the one before. */
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly publishedAt: number;
}
