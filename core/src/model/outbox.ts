import type { Conversation } from "../adapter/conversation.ts";
import type { OutboundMessage, Piece, SendReceipt } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { HandoffId } from "./handoff.ts";
import type { SessionId } from "./session.ts";
import type { TurnId } from "./turn.ts";

export type OutboxId = Branded<"OutboxId">;

/**
 * A message to send to a conversation, or one piece of it. Any process writes a message as one row; the gateway that
 * serves the account splits it into pieces, one row each, before it sends the first.
 */
export interface OutboxRow {
  readonly id: OutboxId;
  /** The lane: rows with the same key are sent in order. */
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  /** Null until the gateway has rendered the message. */
  readonly piece: Piece | null;
  readonly state: OutboxState;
  /**
   * Whether its call is open and the process that began it is not known to be dead: one that was stopped may make the call
   * when it goes on, however long after.
   */
  readonly mayStillGoOut: boolean;
  /** Whether it was held back, and somebody who knows who reads there has it sent to them. */
  readonly isByHand: boolean;
  /**
   * Under which it is sent, and found: another one each time the platform took it and refused it later, once it is sent
   * again as a message of its own instead of an edit, and below a notice where it may have arrived.
   */
  readonly sendKey: string;
  readonly sessionId: SessionId | null;
  readonly turnId: TurnId | null;
  readonly handoffId: HandoffId | null;
  /** The message that shows the streamed answer; this piece becomes its last edit. */
  readonly draftMessageId: string | null;
  /** The key of the draft that this row completes; see {@link Draft}. */
  readonly draftKey: string | null;
  /** The row whose message this one edits, if that was sent, and else is not sent itself. */
  readonly edits: OutboxId | null;
  readonly receipt: SendReceipt | null;
  /** Whether the platform confirmed delivery after accepting it. Only with the capability `lateRefusal`. */
  readonly confirmed: boolean;
  readonly attempts: number;
  /** Whether it is said again, below a notice that people have. */
  readonly wasOffered: boolean;
  /** The id of the process that began its last call; null where none has. */
  readonly sender: Holder["id"] | null;
  /** The earliest time to send it, in milliseconds since 1970; adjusted when the clock is set meanwhile. */
  readonly dueAt: number;
  readonly error: StoredError | null;
  readonly createdAt: number;
}

/** A row without what it says, which may be long. */
export type OutboxFacts = Omit<OutboxRow, "message" | "piece">;

/**
 * `sending`: the platform was called, and its answer is not recorded yet. `uncertain`: it may have arrived, and is not
 * retried automatically. `failed`: refused for good. See DeliveryStore.
 */
export type OutboxState = "queued" | "sending" | "sent" | "uncertain" | "failed" | "cancelled";

export interface NewOutboxEntry {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  /** Of a session or a turn that is said to: null where what is said tells nothing of the session. */
  readonly sessionId?: SessionId | null | undefined;
  readonly turnId?: TurnId | null | undefined;
  readonly handoffId?: HandoffId | null | undefined;
  /** The row of the same conversation whose message is to be edited. If that cannot be done, nothing is sent instead. */
  readonly edits?: OutboxId | undefined;
}

/** The platform message that shows a streamed answer. */
export interface Draft {
  /** Under which it is sent: of the turn and the lease in which it was begun. A turn that was parked begins another one. */
  readonly sendKey: string;
  readonly turnId: TurnId;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Null while the platform's answer to the first send is not recorded. */
  readonly messageId: string | null;
  /**
   * The `digestOf` of the shown text if that is the whole answer so far, behind a `?` while the platform has not said that
   * it took it; else null.
   */
  readonly shown?: string | null;
}

/** Whether a row edits a question that is over: if that cannot be done, nothing is sent instead. */
export function closesQuestion({ message, draftMessageId }: Pick<OutboxRow, "message" | "draftMessageId">): boolean {
  return message.kind === "question" && !message.choices?.length && draftMessageId !== null;
}

/** Whether a row only edits what was sent before: if that cannot be done, nothing is sent instead. */
export function onlyEdits(row: Pick<OutboxRow, "message" | "draftMessageId" | "edits">): boolean {
  return row.edits !== null || closesQuestion(row);
}

/** One call for a row, as whoever began it, or looked for it afterwards, knew the row. */
export type SendAttempt = Pick<OutboxRow, "sender" | "attempts">;

export type SendOutcome =
  | { readonly kind: "sent"; readonly receipt: SendReceipt }
  | { readonly kind: "uncertain"; readonly error: StoredError }
  | { readonly kind: "failed"; readonly error: StoredError }
  /** Not to be sent at all, and not to be offered later: nobody there may see its session any more. */
  | { readonly kind: "dropped"; readonly error: StoredError }
  /** Not sent, since others would read it, and kept like one that failed. */
  | { readonly kind: "withheld"; readonly error: StoredError }
  /** To be retried at `dueAt`. */
  | { readonly kind: "again"; readonly dueAt: number; readonly error: StoredError };
