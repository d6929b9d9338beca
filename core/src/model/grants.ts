import type { SessionKey } from "../adapter/session-key.ts";
import type { IdentityScope } from "./identity.ts";

/** Who may do what on one platform account, as its config and its home channel say. */
export interface Grants {
  readonly operators: readonly string[];
  /** `*` allows everybody. */
  readonly allowedUsers: readonly string[];
  readonly allowedBots: readonly string[];
  /** The private home channel and the key of the person who is the operator there; null where nobody is. */
  readonly home: { readonly chat: SessionKey; readonly person: string } | null;
}

/** What a gateway publishes of the account that it serves. Who is the operator at home is in {@link HomePerson}. */
export interface NewGrants extends IdentityScope, Omit<Grants, "home"> {
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
