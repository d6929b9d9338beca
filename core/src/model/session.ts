import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";

export type SessionId = Branded<"SessionId">;

/**
 * A person. `operator` is the one at the terminal; others are `<platform>:<their id there>`, percent-encoded.
 */
export type UserId = Branded<"UserId">;

export const OPERATOR = "operator" as UserId;

/** Where something was said: the terminal, or a conversation. */
export type Surface = "terminal" | SessionKey;

/** One piece of work with the agent. */
export interface Session {
  readonly id: SessionId;
  /** Unique among all sessions, whatever the case of its letters; null until there is one. */
  readonly title: string | null;
  readonly user: UserId;
  /** Where it began. */
  readonly origin: Surface;
  /** Given to this session alone; null where it uses the config's. */
  readonly model: string | null;
  readonly workingDirectory: string | null;
  /** Where the last turn ran. Recorded; it grants nothing. */
  readonly lastSurface: Surface;
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewSession {
  readonly title?: string | null;
  readonly user: UserId;
  readonly origin: Surface;
  /** The key of the chat it began in (without thread and person); null in the terminal. */
  readonly originChat: SessionKey | null;
  readonly model?: string | null;
  readonly workingDirectory?: string | null;
}

/** Which sessions somebody may list, resume and search. */
export type Visibility =
  | { readonly kind: "all" }
  /**
   * Those that began in one chat, or are gone on with in it or in a thread of it that is not private: what a shared chat
   * may see, since whoever reads it reads them. `here` is the thread, private or not, in which it is asked.
   */
  | { readonly kind: "of-chat"; readonly chat: SessionKey; readonly here: SessionKey }
  /** Those that one user began. */
  | { readonly kind: "begun-by"; readonly user: UserId };

export const EVERY_SESSION: Visibility = { kind: "all" };
