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
  /** Not before this time, in milliseconds since 1970. */
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

/** The message of an answer that grows while it is written. */
interface Draft {
  readonly turnId: TurnId;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Null while the platform's answer to the first send is not recorded. */
  readonly messageId: string | null;
}

export interface Outbox {
  enqueue(entries: readonly NewOutboxEntry[]): Promise<OutboxRow[]>;
  /** The lanes of an account that have a row which is queued or sending. */
  openLanes(platform: string, account: string | undefined): Promise<SessionKey[]>;
  /** The oldest row of a lane that is queued or sending. */
  head(key: SessionKey): Promise<OutboxRow | null>;
  /**
   * Records the intent: queued → sending. `pieces` are what the message goes out as: where it was not cut yet, the row
   * becomes that of the first, and those of the others follow it. Null when the row is no longer queued, or `holder`
   * does not have the account's lease.
   */
  beginSend(id: OutboxId, holder: Holder, pieces: readonly [Piece, ...Piece[]]): Promise<OutboxRow | null>;
  /** Records that a row becomes no edit of what grew, but a message of its own: no crash lets it be both. */
  leaveDraft(id: OutboxId): Promise<OutboxRow>;
  /** In one step: the row becomes the last edit of a message, which is the draft of its turn from now on. */
  takeDraft(id: OutboxId, messageId: string): Promise<OutboxRow>;
  /** In one step: receipt and state recorded; a handoff whose rows are all out → `delivered`. */
  settleSend(id: OutboxId, outcome: SendOutcome): Promise<OutboxRow>;
  /**
   * The late word of a platform on a message it had taken: `refusal` null when it arrived. `chat` tells messages with
   * one id apart. Null when there is no such row.
   */
  settleLate(
    platform: string,
    account: string | undefined,
    messageId: string,
    refusal: StoredError | null,
    chat?: Conversation,
  ): Promise<OutboxRow | null>;
  ofHandoff(handoffId: HandoffId): Promise<OutboxRow[]>;
  /** In one step: the binding and the rows that are not sent move from a thread that is gone to another place. */
  moveLane(from: SessionKey, to: { readonly key: SessionKey; readonly conversation: Conversation }): Promise<void>;
  /** Records that the first part of a growing answer is about to be sent; then with its message id, that it was. */
  saveDraft(draft: Draft): Promise<void>;
  draftOf(turnId: TurnId): Promise<Draft | null>;
  /** How many rows wait or failed, for the status. */
  counts(platform: string, account: string | undefined): Promise<{ readonly waiting: number; readonly failed: number }>;
}
