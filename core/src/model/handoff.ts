import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { SessionId, Surface } from "./session.ts";
import type { NewMessage } from "./transcript.ts";

export type HandoffId = Branded<"HandoffId">;

export type HandoffState = "pending" | "running" | "completed" | "failed";

/** What a running handoff has behind it, in this order. */
export type HandoffStep = "claimed" | "threaded" | "bound" | "answered" | "delivered";

/** One attempt to move a session to a platform. Times are in milliseconds since 1970. */
export interface Handoff {
  readonly id: HandoffId;
  readonly sessionId: SessionId;
  readonly from: Surface;
  readonly platform: string;
  readonly state: HandoffState;
  /** Null while it is pending. */
  readonly step: HandoffStep | null;
  /** How many holders took it on. */
  readonly attempt: number;
  readonly holder: Holder | null;
  readonly leaseUntil: number | null;
  readonly requestedAt: number;
  /** A pending one that nobody claimed by then fails. */
  readonly expiresAt: number;
  readonly endedAt: number | null;
  readonly conversation: Conversation | null;
  /** Opens the thread. Holds no secret. */
  readonly link: string | null;
  /** Why it landed in the home channel itself rather than in a thread of its own; null otherwise. */
  readonly flatBecause: string | null;
  readonly error: StoredError | null;
  /** What went another way than asked, for people: no thread could be opened, a message whose fate is unknown. */
  readonly warnings: readonly string[];
  /** Identifies the thread of this handoff at the platform. */
  readonly mark: string;
  /** The platform was asked for a thread; what came of it is not recorded yet when the step is still `claimed`. */
  readonly threadIntentAt: number | null;
  readonly steps: readonly { readonly step: HandoffStep | HandoffState; readonly at: number }[];
}

export type RequestResult =
  | { readonly ok: true; readonly handoff: Handoff }
  | { readonly ok: false; readonly reason: "in_flight"; readonly handoff: Handoff }
  /** A turn holds the lease, at `place`, since `since`. */
  | { readonly ok: false; readonly reason: "busy"; readonly place: Surface; readonly since: number }
  | { readonly ok: false; readonly reason: "unknown_session" };

/** What a finished step found out. */
export interface HandoffFacts {
  readonly conversation?: Conversation | undefined;
  readonly link?: string | null | undefined;
  readonly flatBecause?: string | null | undefined;
  readonly warning?: string | undefined;
}

export interface BindHandoff {
  readonly id: HandoffId;
  readonly holder: Holder;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Whether the conversation wants to see what is said in the session elsewhere. */
  readonly mirrors: boolean;
  /** Tells the agent where the session comes from; inserted once for each handoff. */
  readonly message: NewMessage;
  /** Notice and state card. */
  readonly outbox: readonly NewOutboxEntry[];
}

/** A handoff that nobody claimed in time is failed, as HANDOFF_NOT_CLAIMED, by whichever call meets it. */
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
  getHandoffState(sessionId: SessionId): Promise<Handoff | null>;
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
  /** Whoever waits may cancel a pending one; a running one only when its holder is gone. False otherwise. */
  cancelHandoff(id: HandoffId): Promise<boolean>;
  /**
   * Takes over the running ones of a platform whose lease ran out or whose holder's process is gone, with the step they
   * reached; never a live one. `attempt` is raised; what to do past three attempts is the caller's.
   */
  reclaimHandoffs(platform: string, holder: Holder, leaseMs: number): Promise<Handoff[]>;
}
