import type { Conversation, HomeChannel } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Binding } from "../model/binding.ts";
import type { GatewayRow } from "../model/gateway-row.ts";
import type { BindHandoff, Handoff, HandoffFacts, HandoffId, HandoffStep, RequestResult } from "../model/handoff.ts";
import type { SessionId, Surface } from "../model/session.ts";
import type { NewMessage, TranscriptMessage } from "../model/transcript.ts";
import type { Fence, FinishTurn, StartTurn, StartTurnResult, Turn, TurnId } from "../model/turn.ts";

export interface TurnStore {
  /**
   * In one step: lease granted, fence raised, a turn that a dead process left is closed with its markers, user row
   * written, inbox row → running, typed lines taken away, `lastSurface` set. What else the holder has typed ahead belongs
   * to this session from now on.
   */
  startTurn(request: StartTurn): Promise<StartTurnResult>;
  /** Renews the lease. False when another process took over: drop the turn's work. A holder that slept keeps it otherwise. */
  renewTurn(turnId: TurnId, fence: Fence, leaseMs: number): Promise<boolean>;
  /** Adds to the transcript within the turn; tool calls mark the turn as `toolStarted`. Throws TURN_SUPERSEDED. */
  append(turnId: TurnId, fence: Fence, messages: readonly NewMessage[]): Promise<TranscriptMessage[]>;
  /**
   * In one step: messages and outbox rows written, inbox row → done, a handoff's step → `answered`, lease released.
   * Rows for the turn's own place go where its lane was moved meanwhile; rows for that place beside them are dropped.
   * Throws TURN_SUPERSEDED and then writes nothing.
   */
  finishTurn(request: FinishTurn): Promise<void>;
  /** The turn that holds the session's lease, or null. A dead holder's counts as none. */
  running(sessionId: SessionId): Promise<Turn | null>;
  get(turnId: TurnId): Promise<Turn | null>;
  /** Asks the running turn of a session to stop, in whatever process it is. False when none runs. */
  requestStop(sessionId: SessionId): Promise<boolean>;
  /**
   * Takes the last exchange (a person's message and everything after it) out of the transcript; it stays in the file
   * and is not read again. Null when there is none. Throws SESSION_BUSY and HANDOFF_IN_FLIGHT.
   * `once` names the request: a second call with it, after a crash, takes nothing more and returns the same.
   */
  undoLast(sessionId: SessionId, once?: string): Promise<{ readonly text: string; readonly removed: number } | null>;
}

/** Any call that meets an expired pending handoff fails it with HANDOFF_NOT_CLAIMED. */
export interface HandoffStore {
  /** None in flight → `pending`; else a refusal that writes nothing. */
  requestHandoff(
    sessionId: SessionId,
    platform: string,
    /** `from`: where the session was last used, unless it is given. `ttlMs`: a minute, unless it is given. */
    options?: { readonly ttlMs?: number; readonly from?: Surface },
  ): Promise<RequestResult>;
  get(id: HandoffId): Promise<Handoff | null>;
  /** The latest of a session, or null. */
  latestOf(sessionId: SessionId): Promise<Handoff | null>;
  /** The latest that was bound under a key (its conversation was bound there), whatever became of it; or null. */
  latestBoundAt(key: SessionKey): Promise<Handoff | null>;
  /** Newest first. */
  list(query: {
    readonly sessionId?: SessionId;
    readonly inFlight?: boolean;
    readonly limit: number;
  }): Promise<Handoff[]>;
  /** Pending only and not expired, oldest request first. */
  listPendingHandoffs(platform?: string): Promise<Handoff[]>;
  /** `pending` → `running` for the first caller; false for every other, and for an expired one, which it fails. */
  claimHandoff(id: HandoffId, holder: Holder, leaseMs: number): Promise<boolean>;
  renewHandoff(id: HandoffId, holder: Holder, leaseMs: number): Promise<boolean>;
  /** Records, before the platform is asked, that it will be asked for a thread. */
  intendThread(id: HandoffId, holder: Holder): Promise<boolean>;
  /** Records a finished step. False unless `holder` has a live lease. Steps do not go back. */
  advanceHandoff(id: HandoffId, holder: Holder, step: HandoffStep, facts?: HandoffFacts): Promise<boolean>;
  /** In one step: binding, internal message, notice and state card in the outbox, step `bound`. False unless `holder` has a live lease. */
  bindHandoff(request: BindHandoff): Promise<boolean>;
  /** → `completed`, error cleared. False unless `holder` has it. */
  completeHandoff(id: HandoffId, holder: Holder, facts?: HandoffFacts): Promise<boolean>;
  /** → `failed`, before anything was bound. The text is cut at 500 characters. */
  failHandoff(id: HandoffId, holder: Holder, error: StoredError): Promise<boolean>;
  /** In one step: unsent rows cancelled, the former binding restored if ours still stands, marker appended, → `failed`. */
  compensateHandoff(id: HandoffId, holder: Holder, error: StoredError): Promise<boolean>;
  /** Cancels a pending handoff, or a running one whose holder is gone. False otherwise. */
  cancelHandoff(id: HandoffId): Promise<boolean>;
  /**
   * Takes over the running ones of a platform whose lease ran out or whose holder's process is gone, with the step they
   * reached; never a live one. `attempt` is raised; what to do past three attempts is the caller's.
   */
  reclaimHandoffs(platform: string, holder: Holder, leaseMs: number): Promise<Handoff[]>;
}

/** A chat without thread and person, and its key. */
export interface ChatLane {
  readonly key: SessionKey;
  readonly conversation: Conversation;
}

export interface BindingStore {
  get(key: SessionKey): Promise<Binding | null>;
  /** Those that lead to a session, the one used last first. */
  of(sessionId: SessionId): Promise<Binding[]>;
  /** Lets `key` lead to a session; what it led to before is kept as `previousSessionId`. */
  bind(binding: Pick<Binding, "key" | "conversation" | "sessionId" | "mirrors">): Promise<Binding>;
  unbind(key: SessionKey): Promise<void>;
  /**
   * Whether a message was written to a session that has been deleted since, so that it is to be said rather than
   * answered. Not of one that came after that was said: clocks differ, and people write it again.
   */
  missedSession(key: SessionKey, message: { readonly sentAt: number; readonly receivedAt: number }): Promise<boolean>;
  /** The home channel that was set with /sethome, or null. */
  home(platform: string, account: string | undefined): Promise<HomeChannel | null>;
  setHome(platform: string, account: string | undefined, home: HomeChannel): Promise<void>;
  /**
   * In one step: a chat got another id. Bindings, what is to be sent there, messages whose turn has not begun, who sees
   * the sessions that were begun there, and a home channel that was set with /sethome go along, with those of its threads.
   */
  moveChat(from: ChatLane, to: ChatLane): Promise<void>;
}

/** Rights to do something alone, by name. Those of turns and handoffs lie with their rows. */
export interface LeaseStore {
  /** Acquires a lease, or renews it for its holder. False while another live holder has it. */
  acquire(name: string, holder: Holder, leaseMs: number): Promise<boolean>;
  release(name: string, holder: Holder): Promise<void>;
}

/** The name of the lease on a platform account. */
export function accountLease(platform: string, account: string | undefined): string {
  return `account:${platform}:${account ?? ""}`;
}

export interface GatewayStore {
  /** Written whole every few seconds. */
  heartbeat(row: Omit<GatewayRow, "heartbeatAt">): Promise<void>;
  /** Those that are alive: a heartbeat within the last 15 s, and a process that is there. */
  alive(): Promise<GatewayRow[]>;
  /** Those that told nothing for longer, and whose process is there: stopped, or kept from writing. */
  silent(): Promise<GatewayRow[]>;
  remove(id: string): Promise<void>;
}
