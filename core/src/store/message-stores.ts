import type { Conversation } from "../adapter/conversation.ts";
import type { InboundMessage, OutboundMessage, Piece, Sender } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { UndeliveredMessage } from "../model/delivery.ts";
import type { HandoffId } from "../model/handoff.ts";
import type { AcceptResult, InboxId, InboxRow, SaidMessage } from "../model/inbox.ts";
import type { NewOutboxEntry, OutboxId, OutboxRow, SendOutcome } from "../model/outbox.ts";
import type { SessionId } from "../model/session.ts";
import type { TurnId } from "../model/turn.ts";
import type { LineId, TypedLine } from "../model/typed-line.ts";

export interface Inbox {
  /**
   * Keeps a message, once for its chat (of one account) and message id; done rows stay as tombstones for 30 days.
   */
  acceptInbound(key: SessionKey, message: InboundMessage): Promise<AcceptResult>;
  /** The oldest row of a lane that is not done: the head. */
  head(key: SessionKey): Promise<InboxRow | null>;
  /** The lanes of one platform account that have rows which are not done. */
  openLanes(platform: string, account: string | undefined): Promise<SessionKey[]>;
  /** In one step: the row → done, `outbox` written. For what needs no turn: a command, a refusal. */
  settle(id: InboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
  /**
   * Takes back a message of the chat `at` whose turn has not begun: its row → done. `by`: only if that person wrote it.
   * False if there is no such message any more.
   */
  retract(at: Conversation, messageId: string, by?: Sender): Promise<boolean>;
  /** What was said in a message of the chat `at`, by a person or the bot; null if nothing of it is kept. */
  said(at: Conversation, messageId: string): Promise<SaidMessage | null>;
}

/** The message of an answer that grows while it is written. */
interface Draft {
  readonly turnId: TurnId;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Null while the platform's answer to the first send is not recorded. */
  readonly messageId: string | null;
  /** The {@link digestOf} the shown text if it is the whole answer so far; else null. */
  readonly shown?: string | null;
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
  /** In one step: the row becomes a message of its own and no edit of what grew, and its turn has no draft any more. */
  leaveDraft(id: OutboxId): Promise<OutboxRow>;
  /** In one step: the row becomes the last edit of a message, which is the draft of its turn from now on. */
  takeDraft(id: OutboxId, messageId: string): Promise<OutboxRow>;
  /** In one step: receipt and state recorded; a handoff whose rows are all out → `delivered`. */
  settleSend(id: OutboxId, outcome: SendOutcome): Promise<OutboxRow>;
  /**
   * Records the delivery status of a message that the platform had already accepted: `refusal` is null when it arrived.
   * `chat` distinguishes messages with the same id. Null when there is no such row.
   */
  settleLate(
    platform: string,
    account: string | undefined,
    messageId: string,
    refusal: StoredError | null,
    chat?: Conversation,
  ): Promise<OutboxRow | null>;
  ofHandoff(handoffId: HandoffId): Promise<OutboxRow[]>;
  /**
   * In one step: the binding and the rows that are not sent move from a thread that is gone to another place, where
   * `notice` stands before them.
   */
  moveLane(
    from: SessionKey,
    to: { readonly key: SessionKey; readonly conversation: Conversation },
    notice?: Pick<NewOutboxEntry, "message" | "sessionId">,
  ): Promise<void>;
  /** Records that the first part of a growing answer is about to be sent; then with its message id, that it was. */
  saveDraft(draft: Draft): Promise<void>;
  draftOf(turnId: TurnId): Promise<Draft | null>;
  /** Counts waiting and failed rows, for the status. */
  counts(platform: string, account: string | undefined): Promise<{ readonly waiting: number; readonly failed: number }>;
}

/** Stands above what is said again; `uncertain` where a part of it may be there already. */
interface OfferNotices {
  readonly failed: OutboundMessage;
  readonly uncertain: OutboundMessage;
}

/** Messages of the outbox that did not arrive: kept for 30 days, with their reason. */
export interface DeliveryStore {
  /** The newest first. Those that wait only when they are asked for. */
  list(query: { readonly waiting?: boolean; readonly limit: number }): Promise<UndeliveredMessage[]>;
  /** By the id of any of its pieces that is not delivered. */
  get(id: OutboxId): Promise<UndeliveredMessage | null>;
  /**
   * In one step: what a lane was not told, `limit` messages at most and the oldest first, waits at its end again, behind
   * a notice. What was offered before is not, nor what a handoff that runs answers for. When the notice does not get
   * through, all is as before; when it does, each of them has been offered. Returns what is offered.
   */
  offer(
    at: Pick<NewOutboxEntry, "key" | "conversation">,
    notices: OfferNotices,
    limit: number,
  ): Promise<UndeliveredMessage[]>;
  /** Puts a message that failed or is uncertain at the end of its lane. False when there is no such message. */
  retry(id: OutboxId): Promise<boolean>;
  /** Drops a message: nothing more of it is sent. False when there is no such message. */
  drop(id: OutboxId): Promise<boolean>;
  /** Failed messages that were not yet reported to anybody who looks at their sessions; the oldest first. */
  untold(limit: number): Promise<UndeliveredMessage[]>;
  /** In one step: marks the message as reported and writes `outbox`. Idempotent. */
  tell(id: OutboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
}

/**
 * What waits in the terminals, so that the end of a terminal costs nobody what was typed there. It is no part of the
 * transcript until its turn starts: `startTurn` takes a line away in the step that writes it as a message.
 */
export interface TypedLines {
  /** Keeps lines behind those that the holder has. One that is kept already stays as it is. Throws SESSION_UNKNOWN. */
  keep(
    sessionId: SessionId,
    lines: readonly Pick<TypedLine, "id" | "text">[],
    holder: Holder,
    leaseMs: number,
  ): Promise<void>;
  /** Renews the lease on all lines of a holder. False when it has none. */
  renew(holder: Holder, leaseMs: number): Promise<boolean>;
  /** Deletes lines of the holder that are done or no longer wanted. */
  remove(ids: readonly LineId[], holder: Holder): Promise<void>;
  /** Releases all lines of a holder that ends: they are left for whoever opens their sessions next. */
  release(holder: Holder): Promise<void>;
  /** Lists the lines that no live terminal holds, of one session or of all, in the order in which they were typed. */
  left(sessionId?: SessionId): Promise<TypedLine[]>;
  /** Takes over those of the lines that no live terminal holds; others were sent or taken over meanwhile. */
  takeOver(ids: readonly LineId[], holder: Holder, leaseMs: number): Promise<TypedLine[]>;
}
