import type { KnownPerson, PlatformId } from "../adapter/identity.ts";

/** The platform account that ids are known on. */
export interface IdentityScope {
  readonly platform: string;
  readonly account: string | undefined;
}

/**
 * From which word an id came to somebody, or left them: a `message` that named it; a `system` message of the platform
 * about a change; the `config`, as a home channel; what an earlier version `kept`, or had joined and is `parted`; the
 * operator in the `terminal`.
 */
export type IdentityWord = "message" | "system" | "config" | "kept" | "parted" | "terminal";

/** An id as it is, or was, somebody's. */
export interface Identity extends IdentityScope {
  readonly id: string;
  readonly strength: PlatformId["strength"];
  /** The key of the person; see {@link KnownPerson}. */
  readonly person: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly word: IdentityWord;
  /** When it left that person, and by which word; null while it is theirs. */
  readonly until: number | null;
  readonly endedBy: IdentityWord | null;
}

export interface IdentityNote {
  readonly ids: readonly PlatformId[];
  /** What may be the key of somebody new, the best first. */
  readonly keys: readonly string[];
  readonly word: IdentityWord;
  /** False: nothing is written of somebody unknown. What it says about people who are known is written in any case. */
  readonly keep: boolean;
}

export interface IdentityLink {
  readonly from: readonly PlatformId[];
  readonly to: readonly PlatformId[];
  readonly keep: boolean;
}
