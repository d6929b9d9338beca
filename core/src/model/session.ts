import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";

export type SessionId = Branded<"SessionId">;

/**
 * A person. `operator` is the person at the terminal; others are rows of the store. Of an identity that is linked to none
 * it is `<platform>[@<account>]:<key>`, percent-encoded.
 */
export type UserId = Branded<"UserId">;

export const OPERATOR = "operator" as UserId;

/** Where something was said: the terminal, or a conversation. */
export type Surface = "terminal" | SessionKey;

/** One piece of work with the agent. */
export interface Session {
  readonly id: SessionId;
  /** Unique among the sessions of `user`, ignoring case; in a shared chat, among those seen there. Null until there is one. */
  readonly title: string | null;
  readonly user: UserId;
  /** Where the session began. */
  readonly origin: Surface;
  /** The key of the chat where it began, without thread and person; null for the terminal. */
  readonly originChat: SessionKey | null;
  /** The session's own model; null when it uses the config's. */
  readonly model: string | null;
  readonly workingDirectory: string | null;
  /** How much the session asks before a tool runs. */
  readonly mode: SessionMode;
  /** Where the last turn ran. Grants no rights. */
  readonly lastSurface: Surface;
  /** Up to this seq, what stands unmarked from where the session began was written by somebody without tools. */
  readonly unmarkedUntil: number;
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `edits`: files below its directory may be written; `plan`: nothing but reading happens. */
export type SessionMode = "default" | "edits" | "plan";

export interface NewSession {
  readonly title?: string | null;
  readonly user: UserId;
  readonly origin: Surface;
  /** The key of the chat it began in, without thread and person; null for the terminal. */
  readonly originChat: SessionKey | null;
  readonly model?: string | null;
  readonly workingDirectory?: string | null;
  readonly mode?: SessionMode;
}

/** A copy of a session, to go on differently. */
export interface ForkSession {
  readonly sessionId: SessionId;
  /** The last message that goes along, by its number; null: all that stands in the transcript. */
  readonly upTo: number | null;
  /** Whose it is. */
  readonly user: UserId;
  /** Where it is gone on with; in a shared chat, its title is told apart from those that are seen there. */
  readonly surface?: Surface | undefined;
  /** Names the request, where it may come again after a crash. */
  readonly once?: string | undefined;
}

/** Which sessions somebody may list, resume and search. */
export type Visibility =
  | { readonly kind: "all" }
  /**
   * The sessions that began in one chat, or are bound to it or to one of its threads that is not private. A shared chat
   * may see these, since its members read them anyway. `here` is the thread, private or not, in which somebody asks.
   */
  | { readonly kind: "of-chat"; readonly chat: SessionKey; readonly here: SessionKey }
  /** The sessions that one person began, on whatever platforms. */
  | { readonly kind: "begun-by"; readonly user: UserId };

export const EVERY_SESSION: Visibility = { kind: "all" };

/**
 * Whether the calls of tools and what they put out are shown: tools act for operators, and what they put out is theirs, so
 * that only who sees every session sees it, in a session of their own, too.
 */
export function seesCalls({ kind }: Visibility): boolean {
  return kind === "all";
}
