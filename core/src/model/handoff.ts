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
  /** Where it landed, by the names that people see; null before that, and where it went on elsewhere meanwhile. */
  readonly place: string | null;
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
  readonly place?: string | undefined;
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

export function isInFlight({ state }: Handoff): boolean {
  return state === "pending" || state === "running";
}
