import type { KnownPerson, PlatformId } from "../adapter/identity.ts";

/** The platform account that an id belongs to. */
export interface IdentityScope {
  readonly platform: string;
  readonly account: string | undefined;
}

/** What people read and type for a platform account: `pager`, or `pager:work` where it has a name of its own. */
export function accountName({ platform, account }: { platform: string; account?: string | null | undefined }): string {
  return account == null ? platform : `${platform}:${account}`;
}

/**
 * What gave an id to a person or took it away: a `message` that named it; a `system` message of the platform about a
 * change; the `config`, as a home channel; data that an earlier version `kept`, or had joined and that is `parted` again;
 * the operator in the `terminal`.
 */
export type IdentityWord = "message" | "system" | "config" | "kept" | "parted" | "terminal";

/** An id that belongs, or belonged, to a person. */
export interface Identity extends IdentityScope {
  readonly id: string;
  readonly strength: PlatformId["strength"];
  /** The key of the person; see {@link KnownPerson}. */
  readonly person: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly word: IdentityWord;
  /** When the person lost the id; null while it is theirs. */
  readonly until: number | null;
  readonly endedBy: IdentityWord | null;
}

export interface IdentityNote {
  readonly ids: readonly PlatformId[];
  /** Possible keys for a new person, best first. */
  readonly keys: readonly string[];
  readonly word: IdentityWord;
  /** When false, nothing is stored about an unknown person. Facts about known people are always stored. */
  readonly keep: boolean;
}

export interface IdentityLink {
  readonly from: readonly PlatformId[];
  readonly to: readonly PlatformId[];
  readonly keep: boolean;
}
