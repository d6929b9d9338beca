import type { Conversation } from "../adapter/conversation.ts";
import type { InboundMessage } from "../adapter/message.ts";
import type { Branded } from "../base/brand.ts";
import type { Holder, ProcessIdentity } from "../base/process-identity.ts";
import type { HandoffId } from "./handoff.ts";
import type { InboxId } from "./inbox.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { SessionId, Surface } from "./session.ts";
import type { NewMessage, ToolCall, TranscriptMessage } from "./transcript.ts";
import type { LineId } from "./typed-line.ts";

export type TurnId = Branded<"TurnId">;

/** A fencing token: raised with each turn lease of a session; writes with an older one are refused. */
export type Fence = number & { readonly __brand: "Fence" };

/** One turn: user message → model and tools → assistant message. */
export interface Turn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly cause: TurnCause;
  readonly state: TurnState;
  /** From 1. A turn that a crash cut off is gone on with, in up to three attempts; a new result begins them anew. */
  readonly attempt: number;
  readonly fence: Fence;
  readonly holder: Holder;
  readonly surface: Surface;
  /** Null when nobody wrote the message, as in a handoff, or the author is no longer known: then it uses no tools. */
  readonly author: TurnAuthor | null;
  /** Whether a tool may have run. */
  readonly toolStarted: boolean;
  /** Whether somebody, perhaps in another process, asked it to stop. */
  readonly stopRequested: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The author of the message that a turn answers. Their permissions are checked at the moment of use. */
export type TurnAuthor = "terminal" | PlatformAuthor;

/** Somebody who wrote, or pressed a choice, on a platform. */
export interface PlatformAuthor {
  readonly platform: string;
  /** Tells accounts of one platform apart. */
  readonly account: string | undefined;
  readonly senderId: string;
  /** Other ids of the same person. */
  readonly aliases: readonly string[];
  /** The key of the person, on platforms that use several ids for one: their ids are looked up by it. */
  readonly person?: string | undefined;
  readonly isBot?: boolean | undefined;
  readonly conversation: Conversation;
}

/** The author of a message or a press. `conversation` names the account. */
export function authorOf({ conversation, sender }: Pick<InboundMessage, "conversation" | "sender">): PlatformAuthor {
  const { platform, account } = conversation;
  return {
    ...{ platform, account, conversation },
    senderId: sender.id,
    aliases: sender.aliases ?? [],
    person: sender.person?.key,
    isBot: sender.isBot,
  };
}

export type TurnState = "running" | "waiting" | "done" | "interrupted";

export type TurnCause =
  /**
   * `lines`: the typed lines that make up the message; the step that writes it removes them. `keepAs`: if the turn has to
   * wait, the step that refuses it keeps its message as a typed line with this id.
   */
  | {
      readonly kind: "terminal";
      readonly lines?: readonly LineId[] | undefined;
      readonly keepAs?: LineId | undefined;
    }
  | { readonly kind: "inbox"; readonly inboxId: InboxId }
  | { readonly kind: "handoff"; readonly handoffId: HandoffId };

export interface StartTurn {
  readonly sessionId: SessionId;
  readonly holder: Holder;
  readonly cause: TurnCause;
  readonly surface: Surface;
  readonly leaseMs: number;
  /** The user's message; null for a handoff, since `bindHandoff` wrote it. A retry uses the row that exists already. */
  readonly message: NewMessage | null;
  readonly closedNotice?: ClosedNotice | undefined;
}

/** The notices for the chat when the turn of its message is closed instead of retried. */
export interface ClosedNotice {
  /** Says that part of the request may have been carried out. */
  readonly toolStarted: NewOutboxEntry;
  readonly noToolStarted: NewOutboxEntry;
}

export type StartTurnResult =
  | {
      readonly ok: true;
      readonly turn: Turn;
      readonly fence: Fence;
      /** The user message that the turn answers. */
      readonly message: TranscriptMessage;
      /** Where the session was used before this turn. */
      readonly previousSurface: Surface;
      /** What calls of earlier holders started and nobody has seen the end of: to be ended before anything else is done. */
      readonly leftRunning: readonly ProcessIdentity[];
    }
  /** Another turn holds the lease. */
  | { readonly ok: false; readonly reason: "busy"; readonly turn: Turn }
  /** The session is being handed off: from the request until its answer, only the handoff gets the lease. */
  | { readonly ok: false; readonly reason: "handoff"; readonly handoffId: HandoffId; readonly platform: string }
  /** The message was answered before. */
  | { readonly ok: false; readonly reason: "answered" }
  /** A crash cut the turn off, and it is not gone on with: it was closed with a marker, and the chat is told. */
  | { readonly ok: false; readonly reason: "closed" }
  /** Another terminal has taken over the typed lines. */
  | { readonly ok: false; readonly reason: "taken" }
  | { readonly ok: false; readonly reason: "unknown_session" };

/** A call that is about to run. */
export interface BegunCall {
  readonly id: ToolCall["id"];
  /** Whether it only reads, so that it may run again after a crash. */
  readonly repeats: boolean;
}

/** The process that leads the group of what a call started. */
export interface CallProcess extends ProcessIdentity {
  /** It goes on when its call has its result, and ends with the process that holds the turn then. */
  readonly outlivesCall?: boolean;
}

/** The last exchange of a session, taken out of its transcript. */
export interface UndoneExchange {
  /** What the person had asked. */
  readonly text: string;
  /** How many messages it had. */
  readonly removed: number;
  /** Its turns, the oldest first. */
  readonly turns: readonly TurnId[];
}

export interface FinishTurn {
  readonly turnId: TurnId;
  readonly fence: Fence;
  readonly state: Extract<TurnState, "done" | "interrupted">;
  /** The answer, or the marker that closes a turn without one. */
  readonly messages: readonly NewMessage[];
  readonly outbox: readonly NewOutboxEntry[];
}
