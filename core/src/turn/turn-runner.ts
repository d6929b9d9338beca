import type { OutboundFile } from "../adapter/message.ts";
import type { HermesError } from "../base/errors.ts";
import type { SentFile } from "../base/file-ref.ts";
import { type Token, token } from "../base/tokens.ts";
import type { NewApproval } from "../model/approval.ts";
import type { NewAsk } from "../model/ask.ts";
import type { Compaction } from "../model/compaction.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { SessionId, Surface } from "../model/session.ts";
import type { NewMessage, ToolCall } from "../model/transcript.ts";
import type {
  ClosedNotice,
  ResumeTurnResult,
  SaidToTurn,
  StartTurnResult,
  Turn,
  TurnCause,
  TurnId,
} from "../model/turn.ts";
import type { KeptState } from "../model/work-state.ts";

/** Runs turns, in whatever process: the terminal's for what is typed there, the gateway's for everything else. */
export interface TurnRunner {
  /**
   * Waits for the session's turn lease, runs the agent on the whole transcript, and stores the answer together with
   * what `compose` wants said of it.
   */
  run(request: TurnRequest): Promise<TurnOutcome>;
  /** Goes on with a turn that waits, or that a dead process left: in this process, if it is granted the lease. */
  resume(request: ResumeRequest): Promise<ResumeOutcome>;
  /**
   * Has the beginning of a session summed up, by a turn of its own. Throws what it cannot be done for, SESSION_BUSY and
   * COMPACTION_TURN_WAITS among it.
   */
  compact(request: CompactRequest): Promise<Compaction>;
}

export const TURN_RUNNER: Token<TurnRunner> = token("turn-runner");

/** The abort reason of a process that shuts down: the turn stays open, for the next holder to run again. */
export const LEAVING = Symbol.for("hermes:leaving");

export interface TurnRequest {
  readonly sessionId: SessionId;
  readonly cause: TurnCause;
  readonly surface: Surface;
  /** Null when the user row is there already: a handoff's. */
  readonly message: NewMessage | null;
  /** False: the agent may only speak, so that the turn can be repeated. */
  readonly tools: boolean;
  /** Outbox rows for the answer, stored with it. */
  compose?(result: TurnResult): readonly NewOutboxEntry[] | Promise<readonly NewOutboxEntry[]>;
  readonly closedNotice?: ClosedNotice | undefined;
  /** Made in the step in which the turn begins. */
  readonly offer?: NewAsk | undefined;
  /** What is said before the answer, queued in the step in which the turn begins. */
  readonly outbox?: readonly NewOutboxEntry[] | undefined;
  onEvent?(event: TurnEvent): void | Promise<void>;
  /**
   * Asked once when a wait is over. Before a turn begins that had to wait, false refuses it as `closed`: nothing of it is
   * written. One that goes on (`resume`) ends as `stopped`, and `isRevoked`; without this, it is asked there whether whoever
   * wrote its message may still talk to the agent.
   */
  isStillWanted?(): Promise<boolean>;
  /** What was said to the turn since this was called last: taken in before the agent is asked on. */
  said?(): readonly SaidToTurn[] | Promise<readonly SaidToTurn[]>;
  /** What `said` has told is taken in. Without this, it was not: the turn ended before, or the store failed. */
  tookIn?(): void;
  /** Stops the turn; what was said until then is kept. */
  readonly signal?: AbortSignal | undefined;
}

/** See {@link TurnRequest}. */
export type ResumeRequest = Pick<
  TurnRequest,
  "compose" | "onEvent" | "said" | "tookIn" | "signal" | "isStillWanted"
> & {
  readonly turnId: TurnId;
};

export interface CompactRequest {
  readonly sessionId: SessionId;
  readonly surface: Surface;
  /** What matters, in the words of whoever asks; null where they say nothing. */
  readonly focus: string | null;
  onEvent?(event: TurnEvent): void | Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

export type ResumeOutcome =
  | TurnResult
  | { readonly state: "refused"; readonly reason: Extract<ResumeTurnResult, { readonly ok: false }>["reason"] };

export type TurnResult = {
  /** The files that calls of the turn sent, and that nothing it has said at its place took along. */
  readonly files?: readonly OutboundFile[];
} /** `work`: where the work stands, as the model of a handoff said below its answer. */ & (
  | { readonly state: "done"; readonly turn: Turn; readonly text: string; readonly work?: KeptState | undefined }
  /** `isRevoked`: since its author may not do so any more. */
  | { readonly state: "stopped"; readonly turn: Turn; readonly text: string; readonly isRevoked: boolean }
  | { readonly state: "failed"; readonly turn: Turn; readonly text: string; readonly error: HermesError }
  /**
   * It waits for people, or for a handoff (without `approvals`), and goes on later. `text`: what was said since the last
   * message.
   */
  | {
      readonly state: "parked";
      readonly turn: Turn;
      readonly text: string;
      readonly approvals: readonly NewApproval[];
    }
);

export type TurnOutcome =
  | TurnResult
  /** Nothing ran: see StartTurnResult. */
  | {
      readonly state: "refused";
      readonly reason: "answered" | "changed" | "closed" | "taken" | "unknown_session" | "cancelled";
    };

/** Nothing can be written for longer than a call of the store waits: STORE_BUSY. */
export interface StoreIsBusy {
  readonly reason: "store";
  readonly error: HermesError;
}

/** The model's provider rate-limits, or failed and is retried. */
interface ModelWaits {
  readonly reason: "model";
  readonly why: string;
  readonly waitMs: number;
}

export type TurnEvent =
  /** Another turn or a handoff has the session, or another process the store; this one waits for it. */
  | {
      readonly type: "waiting";
      readonly for: Extract<StartTurnResult, { readonly ok: false }> | StoreIsBusy | ModelWaits;
    }
  | { readonly type: "started"; readonly turn: Turn }
  /** A model sums the beginning of the session up, so that the rest fits into its window. */
  | { readonly type: "compacting" }
  | { readonly type: "compacted"; readonly compaction: Compaction }
  /** Another model answers than the session's: `a/b is overloaded; c/d answers`. */
  | { readonly type: "fallback"; readonly text: string }
  | { readonly type: "text"; readonly delta: string }
  /** `summary`: what it does, on one line; empty for a call that does not run. */
  | { readonly type: "tool-call"; readonly call: ToolCall; readonly summary: string }
  /** What a call puts out while it runs. */
  | { readonly type: "tool-output"; readonly call: ToolCall; readonly text: string }
  | {
      readonly type: "tool-result";
      readonly call: ToolCall;
      readonly text: string;
      readonly isError: boolean;
      /** The files that it sends. */
      readonly files?: readonly SentFile[] | undefined;
    };

/** Whether what a turn waits for is another turn or a handoff. */
export function isForTurn({ reason }: Extract<TurnEvent, { readonly type: "waiting" }>["for"]): boolean {
  return reason !== "store" && reason !== "model";
}
