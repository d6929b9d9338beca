import type { Conversation } from "../adapter/conversation.ts";
import type { InboundMessage, OutboundMessage } from "../adapter/message.ts";
import type { Branded } from "../base/brand.ts";
import type { FileRef } from "../base/file-ref.ts";
import { shortName } from "../base/one-line.ts";
import type { Holder, ProcessIdentity } from "../base/process-identity.ts";
import type { Approval, ApprovalDecision, ApprovalId, Decider, NewApproval } from "./approval.ts";
import type { AskId, NewAsk } from "./ask.ts";
import type { HandoffId } from "./handoff.ts";
import type { InboxId } from "./inbox.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { Session, SessionId, Surface } from "./session.ts";
import type { NewMessage, ToolCall, TranscriptMessage } from "./transcript.ts";
import type { LineId } from "./typed-line.ts";
import type { NewUsage } from "./usage.ts";
import type { KeptState } from "./work-state.ts";

export type TurnId = Branded<"TurnId">;

/** A fencing token: raised with each turn lease of a session; writes with an older one are refused. */
export type Fence = number & { readonly __brand: "Fence" };

/** One turn: user message → model and tools → assistant message. */
export interface Turn {
  readonly id: TurnId;
  readonly sessionId: SessionId;
  readonly cause: TurnCause;
  readonly state: TurnState;
  /** What a waiting turn waits for; null in every other state. */
  readonly waitsFor: WaitReason | null;
  /** Whether a handoff was requested meanwhile: the turn is to be parked before its next call or model message. */
  readonly parkRequested: boolean;
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
  /** Whether it is to stop because its author lost the right to it. */
  readonly isRevoked: boolean;
  /** The last message of which files were queued with what the turn has said; 0 where none were. */
  readonly filesUpTo: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** What somebody wants of a turn that runs; see {@link Turn}. */
export type TurnMarks = Pick<Turn, "id" | "fence" | "parkRequested" | "stopRequested" | "isRevoked">;

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
  /** What they called themselves then. */
  readonly name?: string | undefined;
}

/** The author of a message or a press. `conversation` names the account. */
export function authorOf({ conversation, sender }: Pick<InboundMessage, "conversation" | "sender">): PlatformAuthor {
  const { platform, account } = conversation;
  return {
    platform,
    account,
    conversation,
    senderId: sender.id,
    aliases: sender.aliases ?? [],
    person: sender.person?.key,
    isBot: sender.isBot,
    name: sender.name === undefined ? undefined : shortName(sender.name),
  };
}

/** `waiting`: nobody has a lease on it; it goes on when `resumeTurn` grants one. */
export type TurnState = "running" | "waiting" | "done" | "interrupted";

/**
 * `approval`, `question`: until people decided; `handoff`: until the session has arrived; `offer`: for a process to begin
 * it.
 */
export type WaitReason = "approval" | "question" | "handoff" | "offer";

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
  /** `digest`: of the row that the turn's message was made from. No turn begins with what was edited since. */
  | { readonly kind: "inbox"; readonly inboxId: InboxId; readonly digest?: string | undefined }
  | { readonly kind: "handoff"; readonly handoffId: HandoffId }
  /** Somebody took what they had written along; see `AskStore.takeAlong`. It is resumed, and never started. */
  | { readonly kind: "offer"; readonly askId: AskId }
  /** `/compact`: it answers nobody, has no message of its own, and is not gone on with by another process. */
  | { readonly kind: "compact" };

export interface StartTurn {
  readonly sessionId: SessionId;
  readonly holder: Holder;
  readonly cause: TurnCause;
  readonly surface: Surface;
  readonly leaseMs: number;
  /**
   * The user's message; null for a handoff, since `bindHandoff` wrote it, and for a compaction. A retry uses the row that
   * exists already.
   */
  readonly message: NewMessage | null;
  readonly closedNotice?: ClosedNotice | undefined;
  /** An offer to make with the turn, when that begins for the first time: its `fresh` session is this one. */
  readonly offer?: NewAsk | undefined;
  /** What is said before its answer, queued when the turn begins for the first time, or its message was taken back. */
  readonly outbox?: readonly NewOutboxEntry[] | undefined;
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
      /** As it stands now. */
      readonly session: Session;
      /** The user message that the turn answers; of a compaction, the last message of the session. */
      readonly message: TranscriptMessage;
      /** Where the session was used before this turn, or before turns here that were cut off and told nobody. */
      readonly previousSurface: Surface;
      /** What calls of earlier holders started and nobody has seen the end of: to be ended before anything else is done. */
      readonly leftRunning: readonly ProcessIdentity[];
    }
  /** Another turn holds the lease. */
  | { readonly ok: false; readonly reason: "busy"; readonly turn: Turn }
  /** The session is being handed off: from the request until its answer, only the handoff gets the lease. */
  | { readonly ok: false; readonly reason: "handoff"; readonly handoffId: HandoffId; readonly platform: string }
  /** A turn of the session waits, for people or for a process to go on with it. Nothing was written. */
  | { readonly ok: false; readonly reason: "waiting"; readonly turn: Turn }
  /** The message was answered before. */
  | { readonly ok: false; readonly reason: "answered" }
  /** A crash cut the turn off, and it is not gone on with: it was closed with a marker, and the chat is told. */
  | { readonly ok: false; readonly reason: "closed" }
  /** The message was edited, or its place moved, since its row was read. Nothing was written. */
  | { readonly ok: false; readonly reason: "changed" }
  /** Another terminal has taken over the typed lines. */
  | { readonly ok: false; readonly reason: "taken" }
  | { readonly ok: false; readonly reason: "unknown_session" };

/**
 * What somebody says to a turn that runs, and where it is kept until then: a message of a platform, or a typed line.
 * `digest`: of the row that it was made from.
 */
export type SaidToTurn = { readonly message: NewMessage } & (
  | { readonly inboxId: InboxId; readonly digest: string; readonly line?: undefined }
  | { readonly line: LineId; readonly inboxId?: undefined }
);

/** A call that is about to run. */
export interface BegunCall {
  readonly id: ToolCall["id"];
  /** Whether it only reads, so that it may run again after a crash. */
  readonly repeats: boolean;
}

/** A call of a turn as the transcript has it, and its times in milliseconds since 1970. */
export interface TurnCall {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly call: ToolCall;
  /** Null while there is none. */
  readonly result: string | null;
  /** The end of what it has put out so far, while it runs and a conversation views its session; else null. */
  readonly output: string | null;
  /** Null where it has not begun, or was never run. */
  readonly beganAt: number | null;
  /** When it got its result. */
  readonly endedAt: number | null;
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
  /** The files that came with it. */
  readonly files?: readonly FileRef[];
  /** How many messages it had. */
  readonly removed: number;
  /** Its turns, the oldest first. */
  readonly turns: readonly TurnId[];
}

/** Takes a session back to before one of its messages. */
export interface RewindSession {
  readonly sessionId: SessionId;
  /** The number of a person's message, which goes with all behind it. */
  readonly seq: number;
  readonly once?: string | undefined;
  /** Where it was asked for; the other places that lead to the session are told. */
  readonly surface: Surface;
  readonly told: OutboundMessage;
}

export interface FinishTurn {
  readonly turnId: TurnId;
  readonly fence: Fence;
  readonly state: Extract<TurnState, "done" | "interrupted">;
  /** The answer, or the marker that closes a turn without one. */
  readonly messages: readonly NewMessage[];
  readonly outbox: readonly NewOutboxEntry[];
  /** Where the work stands, as the model said with its answer. It takes the place of what the session had. */
  readonly work?: KeptState | undefined;
  /** What the requests used of which nothing is stored yet. */
  readonly usage?: readonly NewUsage[] | undefined;
}

/** Parks a turn: it goes on later, wherever the session is then. */
export interface ParkTurn {
  readonly turnId: TurnId;
  readonly fence: Fence;
  readonly reason: WaitReason;
  readonly approvals: readonly NewApproval[];
  /** Where the approvals are shown, besides what `outbox` says. */
  readonly shownAt: readonly Pick<NewOutboxEntry, "key" | "conversation">[];
  /** What was said in the turn so far, for its draft or as messages above the questions. */
  readonly outbox: readonly NewOutboxEntry[];
  /** The last message of which `outbox` takes files along. */
  readonly filesUpTo?: number | undefined;
}

/**
 * `taken`: a code of its approvals is in use; nothing was written, and the caller tries others.
 */
export type ParkTurnResult = "parked" | "taken";

export interface DecideApproval {
  readonly id: ApprovalId;
  readonly decision: ApprovalDecision;
  readonly by: Decider;
  /** Where it was decided. The turn goes on there, if its session is open there. */
  readonly surface: Surface;
  /** The turn goes on where it would have gone on before: what decided does not stay to show it. */
  readonly goesOnWhereItWas?: boolean;
  /** The message that decided, done in the same step. */
  readonly inboxId?: InboxId | undefined;
  /** Of the row that the decision was read from: what was edited since decides nothing. */
  readonly digest?: string | undefined;
  /** `inboxId` is a command, and done when what came of it is said. */
  readonly isCommand?: boolean;
  /**
   * With a `no`: what the person wrote instead of an answer. All open approvals of the turn are denied, and it is appended
   * to the turn.
   */
  readonly message?: NewMessage | undefined;
}

export type DecideApprovalResult =
  /** `open`: how many of the turn's approvals are open still; at 0 it can be resumed. */
  | { readonly state: "decided"; readonly approval: Approval; readonly open: number }
  /**
   * It was over before: `approval` says who decided what, and when. Nothing was written, but that `inboxId` is done; with a
   * `message` not even that.
   */
  | { readonly state: "over"; readonly approval: Approval }
  /** There is no such approval. */
  | { readonly state: "unknown" }
  /** The message that decides was deleted or edited since it was read: nothing was written. */
  | { readonly state: "changed" };

export interface ResumeTurn {
  readonly turnId: TurnId;
  readonly holder: Holder;
  readonly leaseMs: number;
}

export type ResumeTurnResult =
  | Extract<StartTurnResult, { readonly ok: true }>
  /** `open`: approvals are not decided. `handoff`: the session is on its way. `held`: a live process runs it. */
  | { readonly ok: false; readonly reason: "open" | "handoff" | "held" | "ended" | "unknown" };
