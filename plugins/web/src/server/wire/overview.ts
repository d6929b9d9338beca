/**
 * The JSON between the page and its server, about the overview. The page's build includes this file too, so it imports
 * nothing.
 */

/** POST /api/overview/act */
export type WireAction =
  | { readonly do: "drop-delivery" | "cancel-handoff"; readonly id: string }
  | { readonly do: "retry-delivery"; readonly id: string; readonly readBy: string | null }
  | { readonly do: "allow"; readonly code: string; readonly session?: boolean }
  | { readonly do: "answer"; readonly code: string; readonly answer: string }
  | { readonly do: "deny"; readonly code: string }
  | { readonly do: "revoke-pass"; readonly number: number }
  | { readonly do: "hand-off"; readonly id: string; readonly to: string; readonly yes: boolean }
  | { readonly do: "let-in" | "turn-away"; readonly number: number }
  | { readonly do: "add-person"; readonly name: string; readonly role: WireRole }
  | { readonly do: "rename-person"; readonly id: string; readonly name: string }
  | { readonly do: "set-role"; readonly id: string; readonly role: WireRole }
  | { readonly do: "remove-person" | "make-link-code"; readonly id: string }
  | { readonly do: "settle-link"; readonly number: number; readonly isThem: boolean }
  | { readonly do: "unlink"; readonly platform: string; readonly account: string | null; readonly key: string };

/** Of the documents at GET /api/overview/:of, which are those of the commands' `--json`, the part that the page shows. */
export interface StatusAnswer {
  readonly gateways: readonly { readonly pid: number; readonly startedAt: number; readonly configChanged: boolean }[];
  readonly adapters: readonly WireAdapter[];
  readonly sessions: number;
}

export interface WireAdapter {
  readonly name: string;
  readonly health: string;
  readonly detail: string | null;
  readonly standby: boolean;
  readonly home: string | null;
  readonly notice: string | null;
  readonly waiting?: number;
  readonly failed?: number;
  readonly refused?: number;
}

export interface WireSession {
  readonly id: string;
  readonly title: string | null;
  readonly user: string;
  readonly messageCount: number;
  readonly updatedAt: number;
  readonly lastPlace: string;
  readonly openQuestions: number;
}

export interface SessionsAnswer {
  readonly sessions: readonly WireSession[];
  readonly cursor: string | null;
}

export interface WireHandoff {
  readonly handoffId: string;
  readonly sessionId: string;
  readonly title: string | null;
  readonly platform: string;
  readonly state: "pending" | "running" | "completed" | "failed";
  readonly place: string | null;
  readonly link: string | null;
  readonly error: WireError | null;
  readonly requestedAt: number;
  readonly steps: readonly { readonly step: string; readonly at: number }[];
  readonly warnings: readonly string[];
}

export interface WireError {
  readonly message: string;
  readonly hint: string | null;
}

export interface WireApproval {
  readonly code: string;
  readonly kind: "call" | "question" | "limit";
  readonly tool: string;
  readonly summary: string;
  readonly detail: string;
  readonly rules: readonly string[];
  readonly answers: readonly string[];
  readonly sessionId: string;
  readonly title: string | null;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly places: readonly string[];
}

export interface WireHolder {
  readonly role: string;
  readonly pid: number;
  readonly machine: string;
  readonly process: "alive" | "stopped" | "gone" | "unknown";
}

/** What a model said of the work of a session, in short lines. */
export interface WireState {
  readonly task: string | null;
  readonly progress: string | null;
  readonly decisions: readonly string[];
  readonly nextStep: string | null;
  readonly openQuestions: readonly string[];
  readonly files: readonly string[];
  readonly model: string;
  readonly at: number;
}

/** GET /api/overview/session?id= */
export interface SessionAnswer extends WireSession {
  readonly places: readonly { readonly key: string; readonly name: string; readonly usedAt: number }[];
  /** Who besides the operator can read it. */
  readonly readers: readonly { readonly where: string; readonly text: string }[];
  readonly turn: {
    readonly state: string;
    readonly waitsFor: string | null;
    readonly place: string;
    readonly startedAt: number;
  } | null;
  readonly state: WireState | null;
  readonly approvals: readonly WireApproval[];
  /** From the first to the latest. */
  readonly way: readonly { readonly handoffId: string; readonly from: string; readonly to: string }[];
  /** Newest first. */
  readonly handoffs: readonly WireHandoff[];
}

export interface WireDelivery {
  readonly deliveryId: string;
  readonly state: "failed" | "uncertain" | "waiting";
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly place: string;
  readonly text: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly error: WireError | null;
  /** Who else would read it, to begin a sentence, where it is held back for that; else null. */
  readonly readBy: string | null;
}

export interface WireLane {
  readonly key: string;
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly place: string;
  readonly in: { readonly count: number; readonly oldestAt: number } | null;
  readonly out: { readonly count: number; readonly oldestAt: number } | null;
  readonly holder: WireHolder | null;
  readonly because: string;
  readonly error: WireError | null;
}

export interface WireLease {
  readonly kind: string;
  readonly name: string;
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly holder: WireHolder;
  readonly since: number | null;
  readonly until: number;
  readonly isLive: boolean;
}

/** What requests to models used; `said`: in words. */
export interface WireUsage {
  readonly said: string;
  readonly groups: readonly { readonly key: string | null; readonly name: string; readonly said: string }[];
}

export interface WirePass {
  readonly number: number;
  readonly state: "open" | "taken";
  readonly sessionId: string | null;
  readonly title: string | null;
  /** For whom it is; null for whoever sends it first. */
  readonly for: string | null;
  readonly usedBy: { readonly platform: string; readonly id: string; readonly name: string | null } | null;
  readonly expiresAt: number;
}

export type WireRole = "operator" | "member";

/** What somebody lost by an action. */
export interface WireLost {
  readonly identities: number;
  readonly passes: number;
  readonly turns: number;
}

export interface WirePerson {
  readonly id: string | null;
  readonly name: string;
  readonly role: WireRole | null;
  readonly identities: readonly WireIdentity[];
  readonly sessions: number;
  /** Passes that they gave, or that are for them. */
  readonly passes: number;
  readonly lastSeenAt: number | null;
  readonly rights: readonly {
    readonly grants: string;
    readonly on: string | null;
    readonly words: string;
    readonly takenBackBy: string;
  }[];
}

export interface WireIdentity {
  readonly platform: string;
  readonly account: string | null;
  readonly key: string;
  readonly name: string | null;
  /** By which word it is the person's; null where it is linked to nobody. */
  readonly word: "code" | "terminal" | "pairing" | "home" | null;
}

/** Somebody on a platform, by what they are called there: they chose the name themselves. */
export interface WireAccount {
  readonly platform: string;
  readonly account: string | null;
  readonly id: string;
  readonly name: string | null;
}

/** GET /api/overview/requests */
export interface RequestsAnswer {
  /** Newcomers who want to be let in. */
  readonly requests: readonly (WireAccount & { readonly number: number; readonly createdAt: number })[];
  /** Accounts that sent a link code. */
  readonly claims: readonly WireClaim[];
}

export interface WireClaim {
  readonly number: number;
  /** Whose the account will be. */
  readonly person: { readonly id: string; readonly name: string };
  readonly account: WireAccount | null;
  /** What the link would give them, in sentences. */
  readonly about: readonly string[];
  readonly expiresAt: number;
}

export interface WirePlace {
  /** What one types for it. */
  readonly type: string;
  readonly name: string | null;
  readonly kind: string;
  readonly isShared: boolean;
  readonly readBy: string | null;
  readonly lastUsedAt: number | null;
}
