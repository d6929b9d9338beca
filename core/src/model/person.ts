import type { SessionKey } from "../adapter/session-key.ts";
import type { IdentityScope } from "./identity.ts";
import type { UserId } from "./session.ts";

/** `operator`: may do everything; `member`: may talk to the agent and see what they began. */
export type PersonRole = "operator" | "member";

/** Who is behind identities, on whatever platforms. */
export interface Person {
  readonly id: UserId;
  /** Unique among people, ignoring case. */
  readonly name: string;
  readonly role: PersonRole;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly identities: readonly PersonIdentity[];
}

/** Names somebody on a platform account by what stays of them whatever ids come and go there. */
export interface IdentityKey extends IdentityScope {
  /** The key of a known person (see KnownPerson), else the id. */
  readonly key: string;
}

/** An identity that is linked to a person. */
export interface PersonIdentity extends IdentityKey {
  /** What the platform last called them; null where that is not known. */
  readonly name: string | null;
  readonly since: number;
  readonly word: LinkWord;
}

/** By which word an identity was linked: a code that was sent, the operator in the terminal, or a pairing. */
export type LinkWord = "code" | "terminal" | "pairing";

/** What the store itself grants on a platform account, beside what the config grants. Ids are keys of identities. */
export interface PeopleGrants {
  readonly operators: readonly string[];
  readonly members: readonly string[];
  /** Those who have a pass: they may talk in exactly that conversation, and do no more. */
  readonly guests: readonly { readonly id: string; readonly key: SessionKey }[];
}

/** What the store says of one identity: whose it is, null where it is nobody's, and what it grants them. */
export interface StandingOf {
  readonly user: UserId | null;
  readonly people: PeopleGrants;
}

/** The longest name of a person, in characters. */
export const PERSON_NAME_LIMIT = 80;

/** Whom an identity stands for that is not linked to a person: of each account anew, since ids are known there alone. */
export function userOfIdentity({ platform, account, key }: IdentityKey): UserId {
  const at = [platform, ...(account === undefined ? [] : [account])];
  return `${at.map(part).join("@")}:${part(key)}` as UserId;
}

/** The identity that a user stands for; null for a person of the store. The reverse of {@link userOfIdentity}. */
export function identityOfUser(user: UserId): IdentityKey | null {
  const [, platform, account, key] = /^([^@:]+)(?:@([^@:]+))?:([^@:]*)$/.exec(user) ?? [];
  if (platform === undefined || key === undefined) return null;
  return {
    platform: decodeURIComponent(platform),
    account: account === undefined ? undefined : decodeURIComponent(account),
    key: decodeURIComponent(key),
  };
}

function part(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
