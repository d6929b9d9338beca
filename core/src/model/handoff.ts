import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { CodeSender } from "./code.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { HandoffTarget } from "./place.ts";
import type { SessionId, Surface, UserId } from "./session.ts";
import type { NewMessage } from "./transcript.ts";

export type HandoffId = Branded<"HandoffId">;

export type HandoffState = "pending" | "running" | "completed" | "failed";

/** The last step that a handoff has completed; the steps follow in this order. */
export type HandoffStep = "claimed" | "threaded" | "bound" | "answered" | "delivered";

/** One attempt to move a session to another place. Times are in milliseconds since 1970. */
export interface Handoff {
  readonly id: HandoffId;
  readonly sessionId: SessionId;
  readonly from: Surface;
  /** The conversation that the session was used at before, which is told where it went; null for the terminal. */
  readonly leaves: SessionKey | null;
  readonly to: HandoffTarget;
  /** Whether it was asked for because nobody was at the terminal; see AwayStore. */
  readonly isAway: boolean;
  /** Who asked for it. */
  readonly by: UserId;
  /** The target's platform, or `terminal`. */
  readonly platform: string;
  readonly state: HandoffState;
  /** Null while the handoff is pending. */
  readonly step: HandoffStep | null;
  /** How many times a gateway claimed it or took it over. */
  readonly attempt: number;
  readonly holder: Holder | null;
  readonly leaseUntil: number | null;
  readonly requestedAt: number;
  /** When a pending handoff fails if nobody has claimed it; put off as long as it waits for a turn. */
  readonly expiresAt: number;
  /** Whether a turn runs that has to be parked, or to end, before it can be claimed. */
  readonly waitsForTurn: boolean;
  readonly endedAt: number | null;
  readonly conversation: Conversation | null;
  /** Where it landed, by the names that people see; null before that, and when its lane was moved elsewhere. */
  readonly place: string | null;
  /** A link that opens the thread. Contains no secret. */
  readonly link: string | null;
  /** Why it landed in the home channel itself instead of a thread of its own; null otherwise. */
  readonly flatBecause: string | null;
  readonly error: StoredError | null;
  /** What did not go as requested, for people: no thread could be opened, a message may not have arrived. */
  readonly warnings: readonly string[];
  /** Identifies the thread of this handoff on the platform. */
  readonly mark: string;
  /** When the platform was asked for a thread. While the step is still `claimed`, the result is unknown. */
  readonly threadIntentAt: number | null;
  readonly steps: readonly { readonly step: HandoffStep | HandoffState; readonly at: number }[];
}

export type RequestResult =
  | { readonly ok: true; readonly handoff: Handoff }
  | { readonly ok: false; readonly reason: "in_flight"; readonly handoff: Handoff }
  /** The session was handed off since the caller looked. */
  | { readonly ok: false; readonly reason: "moved" }
  | { readonly ok: false; readonly reason: "unknown_session" };

/** `from` defaults to where the session was last used, `ttlMs` to a minute, `by` to the person at the terminal. */
export interface RequestOptions {
  readonly ttlMs?: number;
  readonly from?: Surface;
  readonly by?: UserId | undefined;
  /** The latest handoff of the session that the caller knows; null for none. With a later one, `moved`. */
  readonly after?: HandoffId | null;
}

export interface ToTerminal {
  readonly sessionId: SessionId;
  /** Defaults to where the session was last used. */
  readonly from?: Surface | undefined;
  /** Tells the place that the session left where it went; missing where it is told otherwise. */
  readonly left?: NewOutboxEntry | undefined;
}

/** What a completed step adds to the handoff. */
export interface HandoffFacts {
  readonly conversation?: Conversation | undefined;
  readonly place?: string | undefined;
  readonly link?: string | null | undefined;
  readonly flatBecause?: string | null | undefined;
  readonly warning?: string | undefined;
  /** Whether a thread was opened for it, which is removed should it fail. */
  readonly threadOpened?: boolean | undefined;
}

/** What the last step adds. */
export interface CompletedFacts extends HandoffFacts {
  /** Tells the place that was left where the session went. Not queued where the session has come back meanwhile. */
  readonly left?: NewOutboxEntry | undefined;
}

export interface BindHandoff {
  readonly id: HandoffId;
  readonly holder: Holder;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Whether the conversation shows what is said in the session elsewhere. */
  readonly mirrors: boolean;
  /**
   * Tells the agent where the session comes from; added once per handoff, and not at all to a session with an open
   * turn.
   */
  readonly message: NewMessage;
  /** The notice and the state card. */
  readonly outbox: readonly NewOutboxEntry[];
  /** Whose private chat it is, where they may be in the session by this handoff alone: a pass in use, in the same step. */
  readonly pass?: GivenPass | undefined;
}

/** A pass that nobody has to send. */
export interface GivenPass {
  readonly issuer: UserId;
  readonly person: UserId;
  readonly who: CodeSender;
}

export function isInFlight({ state }: Handoff): boolean {
  return state === "pending" || state === "running";
}
