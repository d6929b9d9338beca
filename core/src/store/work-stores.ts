import type { Conversation, HomeChannel } from "../adapter/conversation.ts";
import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder, ProcessIdentity } from "../base/process-identity.ts";
import type { Approval, ApprovalId, Decider, ShownApproval } from "../model/approval.ts";
import type { Binding } from "../model/binding.ts";
import type { GatewayRow } from "../model/gateway-row.ts";
import type {
  BindHandoff,
  CompletedFacts,
  Handoff,
  HandoffFacts,
  HandoffId,
  HandoffStep,
  RequestOptions,
  RequestResult,
  ToTerminal,
} from "../model/handoff.ts";
import type { IdentityScope } from "../model/identity.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { PlatformTarget } from "../model/place.ts";
import type { SessionId } from "../model/session.ts";
import type { NewMessage, ToolCall, TranscriptMessage } from "../model/transcript.ts";
import type {
  BegunCall,
  CallProcess,
  DecideApproval,
  DecideApprovalResult,
  Fence,
  FinishTurn,
  ParkTurn,
  ParkTurnResult,
  ResumeTurn,
  ResumeTurnResult,
  RewindSession,
  SaidToTurn,
  StartTurn,
  StartTurnResult,
  Turn,
  TurnCall,
  TurnId,
  TurnMarks,
  UndoneExchange,
} from "../model/turn.ts";
import type { NewUsage } from "../model/usage.ts";
import type { GrowingTurn } from "../model/view.ts";

export interface TurnStore {
  /**
   * In one step: lease granted, fence raised, a dead process' turn closed with its markers, user message and `outbox`
   * written, inbox row → running, typed lines removed, `lastSurface` set. The holder's other typed lines now belong to this session. A
   * dead process' turn of the same cause is gone on with: its rows stay, and a call that had begun and does not repeat
   * gets the result TOOL_INTERRUPTED.
   */
  startTurn(request: StartTurn): Promise<StartTurnResult>;
  /** Renews the lease, even an expired one. False when another process took over: then drop the turn's work. */
  renewTurn(turnId: TurnId, fence: Fence, leaseMs: number): Promise<boolean>;
  /**
   * Appends to the transcript within the turn, and keeps what the requests used that gave it, in one step. A tool message
   * is its call's result. Throws TURN_SUPERSEDED.
   */
  append(
    turnId: TurnId,
    fence: Fence,
    messages: readonly NewMessage[],
    usage?: readonly NewUsage[],
  ): Promise<TranscriptMessage[]>;
  /**
   * In one step: appends to the transcript within the turn what people say to it, and their messages are done; those that
   * were done before, or edited since, are left out. Throws TURN_SUPERSEDED.
   */
  takeIn(turnId: TurnId, fence: Fence, said: readonly SaidToTurn[]): Promise<void>;
  /**
   * Records that a call of the turn is about to run, and marks the turn as `toolStarted`. False when it may not: it has a
   * result, is not of this turn, or had begun and does not repeat. Throws TURN_SUPERSEDED.
   */
  beginCall(turnId: TurnId, fence: Fence, call: BegunCall): Promise<boolean>;
  /**
   * Keeps a process that a call of the turn has started, until the call has its result (see `outlivesCall`) or
   * `processEnded` is told. Throws TURN_SUPERSEDED.
   */
  noteProcess(turnId: TurnId, fence: Fence, callId: ToolCall["id"], process: CallProcess): Promise<void>;
  /**
   * The processes that nobody answers for any more: their turn has ended, is not live, or has another holder. One that
   * outlives its call is left when its holder's process is gone. The store ends none of them.
   */
  leftRunning(): Promise<ProcessIdentity[]>;
  /** Forgets a process that has ended. */
  processEnded(id: ProcessIdentity["id"]): Promise<void>;
  /**
   * In one step: open calls given a result, messages, what they used and outbox rows written, inbox row → done, a
   * handoff's step → `answered`, what the model said of the work kept, lease released. If the turn's lane was moved
   * meanwhile, its rows go to the new lane, and other rows for that lane are dropped. Throws TURN_SUPERSEDED, and then
   * writes nothing.
   */
  finishTurn(request: FinishTurn): Promise<void>;
  /**
   * Parks a turn, in one step: approvals and their questions written, inbox row → done, its draft completed with `outbox`,
   * lease released, fence raised, → `waiting`. Throws TURN_SUPERSEDED.
   */
  parkTurn(request: ParkTurn): Promise<ParkTurnResult>;
  /**
   * Grants the lease of a turn that waits, or that a dead process left after it had waited or was begun in the terminal.
   * Raises the fence. Its surface becomes where the last decision was made, if the session is bound there. Parking is no
   * attempt; what was begun and may have had an effect gets the result TOOL_INTERRUPTED; after three attempts without a
   * new result the turn is closed with its marker and its place is told.
   */
  resumeTurn(request: ResumeTurn): Promise<ResumeTurnResult>;
  /**
   * The turns that can be resumed now, oldest first: of sessions whose turn belongs to the account, or with `terminal` to
   * the terminal, each with the surface that it will have. Settles expired approvals.
   */
  resumable(at: { readonly platform: string; readonly account: string | undefined } | "terminal"): Promise<Turn[]>;
  /**
   * The session's turn that holds the lease or waits, or null. A turn that a dead holder left running counts only after
   * it had waited: it waits for a process to go on with it. One that never waited is in `resumable`, or is closed.
   */
  running(sessionId: SessionId): Promise<Turn | null>;
  get(turnId: TurnId): Promise<Turn | null>;
  /** What somebody wants of some turns: of each that is to stop or to be parked, and of none of the others. */
  marks(turnIds: readonly TurnId[]): Promise<TurnMarks[]>;
  /**
   * Makes what the turn has said since its last message readable where else its session is open, until its next message is
   * stored or its lease ends. False, and nothing is written, where it is open nowhere else. Throws TURN_SUPERSEDED.
   */
  noteText(turnId: TurnId, fence: Fence, text: string): Promise<boolean>;
  /**
   * Makes the end of what a running call of the turn has put out readable in `calls`, until the turn's next message is
   * stored or its lease ends. False, and nothing is written, where no conversation views the session. Throws
   * TURN_SUPERSEDED.
   */
  noteOutput(turnId: TurnId, fence: Fence, callId: ToolCall["id"], text: string): Promise<boolean>;
  /** The turn that holds the session's lease, and what it has said since its last message; or null. */
  growing(sessionId: SessionId): Promise<GrowingTurn | null>;
  /** The calls of some turns, turn by turn in the order of the transcript; of one that was taken out of it, none. */
  calls(turnIds: readonly TurnId[]): Promise<TurnCall[]>;
  /**
   * Asks the running turn of a session to stop, whichever process runs it. One that waits is ended, in one step: its
   * approvals cancelled and their questions closed, each open call given a result, marker written. False when there is
   * neither.
   */
  requestStop(sessionId: SessionId): Promise<boolean>;
  /**
   * Takes the last exchange (a person's message and everything after it) out of the transcript. Its rows are kept for a
   * while, but not read again. A turn that waits is ended first, in the same step. Null when there is none. Throws
   * SESSION_BUSY and HANDOFF_IN_FLIGHT. `once` is an
   * idempotency key: a second call with it, after a crash, takes nothing more and returns the same.
   */
  undoLast(sessionId: SessionId, once?: string): Promise<UndoneExchange | null>;
  /**
   * Takes a person's message and everything after it out of the transcript, as `undoLast` does, and tells the other
   * places that lead to the session, in one step. Null where that message is not there. Throws SESSION_BUSY, TURN_WAITS
   * and HANDOFF_IN_FLIGHT.
   */
  rewind(request: RewindSession): Promise<UndoneExchange | null>;
  /** What the session's latest `undoLast` with a key took away, or null. It is forgotten after a while. */
  lastUndone(sessionId: SessionId): Promise<UndoneExchange | null>;
}

/** Stores approvals. Any call that meets an expired one settles it: its turn ends as interrupted, and its place is told. */
export interface ApprovalStore {
  /** The first decides; later callers are told who did. Queues a row that closes the question at each place of it. */
  decide(request: DecideApproval): Promise<DecideApprovalResult>;
  get(id: ApprovalId): Promise<Approval | null>;
  /** Finds an approval of the last 30 days by what people type, in any case. */
  byCode(code: string): Promise<Approval | null>;
  /** The approvals of a turn in the order of its calls, whatever their state. */
  ofTurn(turnId: TurnId): Promise<Approval[]>;
  /** The open ones of a session, or of all; oldest first. */
  open(sessionId?: SessionId): Promise<Approval[]>;
  /** The open ones that a conversation shows; oldest first. */
  shownAt(key: SessionKey): Promise<ShownApproval[]>;
  /** Queues the open questions of a session at a place that does not show them yet. */
  showAt(sessionId: SessionId, at: Pick<NewOutboxEntry, "key" | "conversation">): Promise<void>;
  /**
   * The open ones that nobody was reminded of, of turns at the account's places and of the terminal's; those asked before
   * a time, oldest first.
   */
  unreminded(
    at: { readonly platform: string; readonly account: string | undefined },
    askedBefore: number,
  ): Promise<Approval[]>;
  /** In one step, and once an approval: queues what reminds people of it. False where that was done, or it is over. */
  remind(id: ApprovalId, entry: NewOutboxEntry): Promise<boolean>;
  /** What was allowed for the rest of the session, or always: by whom, and the rules. */
  allowedInSession(
    sessionId: SessionId,
  ): Promise<readonly { readonly by: Decider; readonly rules: readonly string[] }[]>;
}

/** Stores handoffs. Any call that finds an expired pending handoff fails it with HANDOFF_NOT_CLAIMED. */
export interface HandoffStore {
  /**
   * Creates a `pending` handoff if the session has none in flight; otherwise refuses and writes nothing. A turn that runs
   * is asked to be parked; until then the handoff cannot be claimed, and its time does not run. One that waits goes along.
   */
  requestHandoff(sessionId: SessionId, to: PlatformTarget, options?: RequestOptions): Promise<RequestResult>;
  /**
   * Hands a session to the terminal, in one step and completed at once: bindings stay and nobody is kept out, a waiting
   * turn goes on in the terminal, `left` is queued. Refuses and writes nothing while a handoff is in flight. Once only
   * while a turn runs: then a later call writes nothing, and returns the same.
   */
  toTerminal(request: ToTerminal): Promise<RequestResult>;
  /**
   * The handoffs to the terminal that no terminal has opened yet, the newest of each session, and the failed ones of
   * sessions that were to go by themselves, which no terminal has told of yet; oldest first.
   */
  offeredToTerminal(): Promise<Handoff[]>;
  /** Records that a terminal has opened what was handed to it, or told why one failed. True for the first caller only. */
  taken(id: HandoffId): Promise<boolean>;
  get(id: HandoffId): Promise<Handoff | null>;
  /** The latest handoff of a session, or null. */
  latestOf(sessionId: SessionId): Promise<Handoff | null>;
  /** The latest handoff that bound its session to a key, whatever its result; or null. */
  latestBoundAt(key: SessionKey): Promise<Handoff | null>;
  /** Newest first. */
  list(query: {
    readonly sessionId?: SessionId;
    readonly inFlight?: boolean;
    readonly limit: number;
  }): Promise<Handoff[]>;
  /** Lists the pending handoffs, oldest first, with those that wait for a turn; of one platform account, or of all. */
  listPendingHandoffs(at?: IdentityScope): Promise<Handoff[]>;
  /**
   * `pending` → `running` for the first caller, and a turn that a dead process left → `waiting`. False for every other
   * caller, while a turn runs, and for an expired handoff, which it fails.
   */
  claimHandoff(id: HandoffId, holder: Holder, leaseMs: number): Promise<boolean>;
  renewHandoff(id: HandoffId, holder: Holder, leaseMs: number): Promise<boolean>;
  /** Records that the platform is about to be asked for a thread. */
  intendThread(id: HandoffId, holder: Holder): Promise<boolean>;
  /** Records a completed step. False unless `holder` has a live lease. Steps never go back. */
  advanceHandoff(id: HandoffId, holder: Holder, step: HandoffStep, facts?: HandoffFacts): Promise<boolean>;
  /**
   * In one step: binding, internal message, outbox rows, step → `bound`; mode → `default` where others read. With an open
   * turn: no message, its questions queued, its surface moved, step → `answered`; it can be resumed when the handoff is
   * `completed`. False unless `holder` has a live lease.
   */
  bindHandoff(request: BindHandoff): Promise<boolean>;
  /**
   * In one step: → `completed`, error cleared, `left` queued at the place that was left, and the session counts as used at
   * its new place. False unless `holder` has the handoff.
   */
  completeHandoff(id: HandoffId, holder: Holder, facts?: CompletedFacts): Promise<boolean>;
  /** → `failed`, for a handoff that has not bound anything. The error's text is cut to 500 characters. */
  failHandoff(id: HandoffId, holder: Holder, error: StoredError): Promise<boolean>;
  /**
   * In one step: unsent rows cancelled, the former binding restored unless changed since, marker appended, → `failed`. A
   * turn that was taken along waits where it was, and its questions of that place are taken back.
   */
  compensateHandoff(id: HandoffId, holder: Holder, error: StoredError): Promise<boolean>;
  /**
   * Cancels a pending handoff, or a running one whose holder is gone. False otherwise. A turn that was to be parked for it
   * goes on; one that was can be resumed where it was.
   */
  cancelHandoff(id: HandoffId): Promise<boolean>;
  /**
   * Takes over the running handoffs to a platform account whose lease has expired or whose holder's process is gone,
   * with the step they reached. Raises `attempt`; the caller decides what to do after three attempts.
   */
  reclaimHandoffs(at: IdentityScope, holder: Holder, leaseMs: number): Promise<Handoff[]>;
  /** The failed and the cancelled handoffs to a platform account whose opened thread may still be there; oldest first. */
  leftThreads(at: IdentityScope): Promise<Handoff[]>;
  /** Records that the thread of a handoff is gone, or is to stay. */
  threadRemoved(id: HandoffId): Promise<void>;
}

/** The key of a chat without thread and person, and its conversation. */
export interface ChatLane {
  readonly key: SessionKey;
  readonly conversation: Conversation;
}

export interface BindingStore {
  get(key: SessionKey): Promise<Binding | null>;
  /** The bindings of a session, the most recently used first. */
  of(sessionId: SessionId): Promise<Binding[]>;
  /**
   * In one step: binds `key` to a session, whose open questions are queued there; the one it was bound to before becomes
   * `previousSessionId`.
   */
  bind(binding: Pick<Binding, "key" | "conversation" | "sessionId" | "mirrors">): Promise<Binding>;
  /**
   * Parts a conversation from a session that nobody there may see any more, and drops what waits for it there of that
   * session, in one step; `outbox` says so. False, and nothing is written, where it leads elsewhere by now.
   */
  part(key: SessionKey, sessionId: SessionId, outbox: readonly NewOutboxEntry[]): Promise<boolean>;
  unbind(key: SessionKey): Promise<void>;
  /**
   * Whether a message was written to a session that has been deleted since, so that the reply must say so. False for a
   * message that came after such a reply: clocks differ, and people write again.
   */
  missedSession(key: SessionKey, message: { readonly sentAt: number; readonly receivedAt: number }): Promise<boolean>;
  /** The home channel that was set with /sethome, or null. */
  home(platform: string, account: string | undefined): Promise<HomeChannel | null>;
  setHome(platform: string, account: string | undefined, home: HomeChannel): Promise<void>;
  /**
   * Moves a chat to its new id, in one step and with its threads, or a thread alone with its messages, which keep their
   * ids, so that what was sent there can be edited and what comes again is known: bindings with what handoffs that may
   * still fail replaced there, unsent outbox rows, messages that are not answered yet (those of a chat are known by its
   * former id, since ids may begin anew there), open questions, turns that wait and their authors, the visibility of
   * sessions that began there, where sessions were used last, and a home channel that was set with /sethome. Sessions that
   * began there, and passes in use, belong to the new place from then on.
   *
   * A place that others read afterwards (see `isReadByOthers`) is parted from its session instead: the session and what
   * waits of it stay unseen there, turns that run there are asked to stop, a pass ends, and `told` is queued where a
   * session was. Only messages whose turn has not begun go along.
   */
  moveChat(from: ChatLane, to: ChatLane, told: OutboundMessage): Promise<void>;
}

/** Stores named leases. The leases of turns and handoffs are in their own rows. */
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
  /** Replaces the gateway's row; called every few seconds. */
  heartbeat(row: Omit<GatewayRow, "heartbeatAt">): Promise<void>;
  /** The live gateways: with a heartbeat within the last 15 s, and a process that exists. */
  alive(): Promise<GatewayRow[]>;
  /** The gateways with an older heartbeat whose process exists: suspended, or unable to write. */
  silent(): Promise<GatewayRow[]>;
  remove(id: string): Promise<void>;
}
