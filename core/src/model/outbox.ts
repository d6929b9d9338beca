import type { Conversation } from "../adapter/conversation.ts";
import type { OutboundMessage, Piece, SendReceipt } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { StoredError } from "../base/errors.ts";
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
  readonly sessionId: SessionId | null;
  readonly turnId: TurnId | null;
  readonly handoffId: HandoffId | null;
  /** The message that shows the streamed answer; this piece becomes its last edit. */
  readonly draftMessageId: string | null;
  readonly receipt: SendReceipt | null;
  /** Whether the platform confirmed delivery after accepting it. Only with the capability `lateRefusal`. */
  readonly confirmed: boolean;
  readonly attempts: number;
  /** The earliest time to send it, in milliseconds since 1970; adjusted when the clock is set meanwhile. */
  readonly dueAt: number;
  readonly error: StoredError | null;
  readonly createdAt: number;
}

/**
 * `sending`: the platform was called, and its answer is not recorded yet. `uncertain`: it may have arrived, and is not
 * retried automatically. `failed`: refused for good. See DeliveryStore.
 */
export type OutboxState = "queued" | "sending" | "sent" | "uncertain" | "failed" | "cancelled";

export interface NewOutboxEntry {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  readonly sessionId?: SessionId | null | undefined;
  readonly turnId?: TurnId | null | undefined;
  readonly handoffId?: HandoffId | null | undefined;
}

export type SendOutcome =
  | { readonly kind: "sent"; readonly receipt: SendReceipt }
  | { readonly kind: "uncertain"; readonly error: StoredError }
  | { readonly kind: "failed"; readonly error: StoredError }
  /** To be retried at `dueAt`. */
  | { readonly kind: "again"; readonly dueAt: number; readonly error: StoredError };
