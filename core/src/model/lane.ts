import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Holder } from "../base/process-identity.ts";
import type { InboxRow } from "./inbox.ts";
import type { OutboxRow } from "./outbox.ts";
import type { SessionId } from "./session.ts";
import type { Turn } from "./turn.ts";

/** Messages that wait in one direction. */
interface Waiting {
  readonly count: number;
  /** When the oldest one came, in milliseconds since 1970. */
  readonly oldestAt: number;
}

/** A conversation in which messages wait. */
export interface Lane {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** The session that the conversation leads to; null while it leads to none. */
  readonly sessionId: SessionId | null;
  /** Messages of people that are not answered; `state` is that of the oldest. */
  readonly inbound: (Waiting & Pick<InboxRow, "state">) | null;
  /** Messages of Hermes that are not sent; the other fields are those of the first to be sent. */
  readonly outbound: (Waiting & Pick<OutboxRow, "state" | "attempts" | "dueAt" | "error">) | null;
  /** Who has the account's lease, and so answers and sends here; null while nobody has. */
  readonly holder: Holder | null;
  /** The session's turn that runs or waits. */
  readonly turn: Pick<Turn, "state" | "waitsFor" | "surface" | "holder"> | null;
}

/** `answer`: its turn runs. `turn`: a turn of the session runs at another place. `send`: it is being sent. `next`: soon. */
export type LaneWaitsFor =
  | "gateway"
  | "approval"
  | "question"
  | "handoff"
  | "answer"
  | "turn"
  | "retry"
  | "send"
  | "next";

/** Part of a lane's state that the reason of its waiting follows from. */
type LaneState = Pick<Lane, "key" | "inbound" | "outbound" | "holder" | "turn">;

/** What the messages of a lane wait for, at the time `now`: for what is in the way of the oldest. */
export function laneWaitsFor({ key, inbound, outbound, holder, turn }: LaneState, now: number): LaneWaitsFor {
  if (holder === null) return "gateway";
  const isSentFirst = inbound === null || (outbound !== null && outbound.oldestAt < inbound.oldestAt);
  if (isSentFirst && outbound !== null) {
    if (outbound.state === "sending") return "send";
    return outbound.attempts > 0 && outbound.dueAt > now ? "retry" : "next";
  }
  // A turn of an offer is about to begin.
  if (turn?.state === "waiting" && turn.waitsFor !== null) return turn.waitsFor === "offer" ? "next" : turn.waitsFor;
  if (turn?.state !== "running") return "next";
  return turn.surface === key ? "answer" : "turn";
}
