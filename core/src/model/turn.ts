import type { Conversation } from "../adapter/conversation.ts";
import type { Branded } from "../base/brand.ts";
import type { Holder } from "../base/process-identity.ts";
import type { HandoffId } from "./handoff.ts";
import type { InboxId } from "./inbox.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { SessionId, Surface } from "./session.ts";
import type { NewMessage, TranscriptMessage } from "./transcript.ts";
import type { LineId } from "./typed-line.ts";

export type TurnId = Branded<"TurnId">;

/** A number on the session, raised whenever a turn lease is granted; a write that carries an older one is refused. */
export type Fence = number & { readonly __brand: "Fence" };

/** user message → model and tools → assistant message. */
export interface Turn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly cause: TurnCause;
  readonly state: TurnState;
  /** 1 for the first; a turn that crashes cut off before any tool started runs three times at most. */
  readonly attempt: number;
  readonly fence: Fence;
  readonly holder: Holder;
  readonly surface: Surface;
  /** Null: nobody did, as in a handoff, or it is not known any more. Such a turn uses no tools. */
  readonly author: TurnAuthor | null;
  /** Whether a tool may have run. */
  readonly toolStarted: boolean;
  /** Somebody, maybe in another process, wants it to end. */
  readonly stopRequested: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Who wrote the message that a turn answers: what they may do is asked by this at the moment of use. */
export type TurnAuthor =
  | "terminal"
  | {
      readonly platform: string;
      /** Tells accounts of one platform apart. */
      readonly account: string | undefined;
      readonly senderId: string;
      /** Other ids of the same person. */
      readonly aliases: readonly string[];
      readonly conversation: Conversation;
    };

export type TurnState = "running" | "waiting" | "done" | "interrupted";

export type TurnCause =
  /**
   * `lines`: the typed lines that make up the message. They are taken away in the step that writes it. `keepAs`: where the
   * turn has to wait, its message is kept as a typed line of this id, in the step that refuses it.
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
  /** The user's message. Of a handoff: null, since `bindHandoff` wrote it. A rerun goes on the row that is there already. */
  readonly message: NewMessage | null;
  readonly closedNotice?: ClosedNotice | undefined;
}

/** What the chat is told when the turn that its message began is closed rather than run again. */
export interface ClosedNotice {
  /** Part of what was asked may have been done. */
  readonly toolStarted: NewOutboxEntry;
  readonly noToolStarted: NewOutboxEntry;
}

export type StartTurnResult =
  | {
      readonly ok: true;
      readonly turn: Turn;
      readonly fence: Fence;
      /** The user row the turn answers. */
      readonly message: TranscriptMessage;
      /** The surface the session was last used at. */
      readonly previousSurface: Surface;
    }
  /** Another turn holds the lease. */
  | { readonly ok: false; readonly reason: "busy"; readonly turn: Turn }
  /** From its request until it is answered, only the handoff may have the lease. */
  | { readonly ok: false; readonly reason: "handoff"; readonly handoffId: HandoffId; readonly platform: string }
  /** The message had its answer already. */
  | { readonly ok: false; readonly reason: "answered" }
  /** A crash cut the turn off, and it may not run again: it was closed with a marker, and the chat is told. */
  | { readonly ok: false; readonly reason: "closed" }
  /** Another terminal has taken the typed lines over. */
  | { readonly ok: false; readonly reason: "taken" }
  | { readonly ok: false; readonly reason: "unknown_session" };

export interface FinishTurn {
  readonly turnId: TurnId;
  readonly fence: Fence;
  readonly state: Extract<TurnState, "done" | "interrupted">;
  /** The answer, or the marker that closes a turn without one. */
  readonly messages: readonly NewMessage[];
  readonly outbox: readonly NewOutboxEntry[];
}
