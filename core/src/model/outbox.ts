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
 * Something to be said at a conversation. Written as a message by whatever process has something to say; the gateway
 * that serves the account turns it into pieces, a row a piece, before the first of them is sent.
 */
export interface OutboxRow {
  readonly id: OutboxId;
  /** The lane: rows of one key go out in order. */
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  /** Null until the gateway rendered the message. */
  readonly piece: Piece | null;
  readonly state: OutboxState;
  readonly sessionId: SessionId | null;
  readonly turnId: TurnId | null;
  readonly handoffId: HandoffId | null;
  /** The message of a growing answer, which this piece becomes the last edit of. */
  readonly draftMessageId: string | null;
  readonly receipt: SendReceipt | null;
  /** The platform said, after it took it, that it arrived. Only where `lateRefusal` is claimed. */
  readonly confirmed: boolean;
  readonly attempts: number;
  /** Not before this time, in milliseconds since 1970; moves along with a clock that is set meanwhile. */
  readonly dueAt: number;
  readonly error: StoredError | null;
  readonly createdAt: number;
}

/**
 * `sending`: the platform was called and its answer is not recorded. `uncertain`: it may have arrived; not repeated by
 * itself. `failed`: refused for good. See DeliveryStore.
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
  /** Still to be sent, at `dueAt`. */
  | { readonly kind: "again"; readonly dueAt: number; readonly error: StoredError };
