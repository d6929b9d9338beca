import type { Conversation } from "../adapter/conversation.ts";
import type { InboundMessage, OutboundMessage, Piece, Sender } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { UndeliveredMessage } from "../model/delivery.ts";
import type { HandoffId } from "../model/handoff.ts";
import type { AcceptResult, InboxId, InboxRow, SaidMessage } from "../model/inbox.ts";
import type {
  Draft,
  NewOutboxEntry,
  OutboxFacts,
  OutboxId,
  OutboxRow,
  SendAttempt,
  SendOutcome,
} from "../model/outbox.ts";
import type { SessionId } from "../model/session.ts";
import type { TurnId } from "../model/turn.ts";
import type { LineId, TypedLine } from "../model/typed-line.ts";

export interface Inbox {
  /**
   * Accepts a message, once per account, chat and message id; done rows stay as tombstones for 30 days. `outbox`: what is
   * said of it at once, in the same step, where it is accepted or replaces one that waits.
   */
  acceptInbound(key: SessionKey, message: InboundMessage, outbox?: readonly NewOutboxEntry[]): Promise<AcceptResult>;
  /** The head of a lane: its oldest row that is not done. */
  head(key: SessionKey): Promise<InboxRow | null>;
  /** Whether a lane has a row, done or not. */
  hasRows(key: SessionKey): Promise<boolean>;
  /** The next row of a lane that is not done, behind the row `id`. */
  next(id: InboxId): Promise<InboxRow | null>;
  /** The lanes of a platform account with rows that are not done. */
  openLanes(platform: string, account: string | undefined): Promise<SessionKey[]>;
  /** In one step: the row → done, `outbox` written. For a message that needs no turn: a command, a refusal. */
  settle(id: InboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
  /**
   * Takes back a message of the chat `at` whose turn has not begun: its row → done. With `by`, only if that person wrote
   * it. False if there is no such message.
   */
  retract(at: Conversation, messageId: string, by?: Sender): Promise<boolean>;
  /** Finds what a person or the bot said in a message of the chat `at`; null if it is not stored. */
  said(at: Conversation, messageId: string): Promise<SaidMessage | null>;
}

export interface Outbox {
  enqueue(entries: readonly NewOutboxEntry[]): Promise<OutboxRow[]>;
  /** The lanes of an account with a row that is queued or sending. */
  openLanes(platform: string, account: string | undefined): Promise<SessionKey[]>;
  /** The head of a lane: its oldest row that is queued or sending; but for the row `behind`, when that is given. */
  head(key: SessionKey, behind?: OutboxId): Promise<OutboxRow | null>;
  /**
   * Records the intent to send, and by which process: queued → sending. If the message was not split yet, the row takes
   * the first of `pieces`, and new rows for the others follow it. Null when the row is no longer queued, or `holder`
   * does not have the account's lease. Null, too, for an edit of a message that was not sent in this lane: it is
   * cancelled. What was queued below a notice (see DeliveryStore.offer) that is not to be sent any more becomes what it was
   * before, and a notice with nothing below it any more is cancelled: null for both.
   */
  beginSend(id: OutboxId, holder: Holder, pieces: readonly [Piece, ...Piece[]]): Promise<OutboxRow | null>;
  /**
   * In one step: a row that `holder` began and did not send waits as before, also where another process took it for
   * uncertain meanwhile. Nothing happens once it was offered, or begun by another process.
   */
  giveBack(id: OutboxId, holder: Holder): Promise<void>;
  /** In one step: the row becomes a new message instead of an edit of the draft, which is deleted. */
  leaveDraft(id: OutboxId): Promise<OutboxRow>;
  /**
   * In one step: the row becomes the last edit of message `messageId`, which its draft turned out to be. What the draft is
   * said to show stays, but for `shown`: see {@link Draft}.
   */
  takeDraft(id: OutboxId, messageId: string, shown?: string): Promise<OutboxRow>;
  /**
   * In one step: receipt and state recorded; a handoff whose rows are all sent → `delivered`; a question that is over by
   * now is closed. An edit that closes a question and is not made → `cancelled`. What comes late of another call than the
   * row's last one (`attempt`) changes nothing, unless it arrived: whoever made the last one says how that went.
   */
  settleSend(id: OutboxId, outcome: SendOutcome, attempt?: SendAttempt): Promise<OutboxFacts>;
  /**
   * Records the delivery status of a message that the platform had already accepted: `refusal` is null when it arrived.
   * `chat` distinguishes messages with the same id. Where no row has that receipt, the one that was sent with `key` and may
   * have arrived is settled. Null when there is no such row: an answer that grows in that message, or waits to complete it,
   * becomes a new one if it is refused.
   */
  settleLate(
    platform: string,
    account: string | undefined,
    messageId: string,
    refusal: StoredError | null,
    chat?: Conversation,
    key?: string,
  ): Promise<OutboxFacts | null>;
  /** The messages of a handoff, in the order of their lanes, and the kind of each. */
  ofHandoff(handoffId: HandoffId): Promise<(OutboxFacts & Pick<OutboundMessage, "kind">)[]>;
  /**
   * Why a message of a handoff was refused for good, or is held back since its place was parted: the first one in its lane.
   * Null when none is.
   */
  refusalOf(handoffId: HandoffId): Promise<StoredError | null>;
  /**
   * In one step: the binding, the unsent rows and the waiting turns of a deleted thread move to another lane, with
   * `notice` queued before them. Open questions of that thread, and of the session, are queued there anew.
   */
  moveLane(
    from: SessionKey,
    to: { readonly key: SessionKey; readonly conversation: Conversation },
    notice?: Pick<NewOutboxEntry, "message" | "sessionId">,
  ): Promise<void>;
  /** Records that the first part of a streamed answer is about to be sent; later, with its message id, that it was. */
  saveDraft(draft: Draft): Promise<void>;
  /** The draft that a turn goes on with: one that no stored message completes. */
  draftOf(turnId: TurnId): Promise<Draft | null>;
  draft(sendKey: Draft["sendKey"]): Promise<Draft | null>;
  /** Counts waiting and failed rows, for the status. */
  counts(platform: string, account: string | undefined): Promise<{ readonly waiting: number; readonly failed: number }>;
}

/** The notice above repeated messages; `uncertain` if a part of them may have arrived. */
interface OfferNotices {
  readonly failed: OutboundMessage;
  readonly uncertain: OutboundMessage;
}

/** Stores outbox messages that did not arrive, with the reason, for 30 days. */
export interface DeliveryStore {
  /** Lists them, newest first. Those that still wait are included only with `waiting`. */
  list(query: { readonly waiting?: boolean; readonly limit: number }): Promise<UndeliveredMessage[]>;
  /** Finds a message by the id of any of its undelivered pieces. */
  get(id: OutboxId): Promise<UndeliveredMessage | null>;
  /**
   * In one step: queues the undelivered messages of a lane again, at its end and behind a notice; the oldest first, at
   * most `limit`. Leaves out those that were offered before, and those of a running handoff. What was to complete a message
   * that grew is one of its own from now on, as with `retry`. If the notice does not get through, they are what they were
   * before; if it does, each of them counts as offered. Returns the offered messages.
   */
  offer(
    at: Pick<NewOutboxEntry, "key" | "conversation">,
    notices: OfferNotices,
    limit: number,
  ): Promise<UndeliveredMessage[]>;
  /**
   * Puts a message that failed or is uncertain at the end of its lane. False when there is no such message, and where it is
   * in another lane than it was when somebody `saw` it, or is held back since.
   */
  retry(id: OutboxId, saw?: Pick<UndeliveredMessage, "key" | "isHeldBack">): Promise<boolean>;
  /**
   * Drops a message: nothing more of it is sent. Below a notice that is dropped, nothing is sent either: it is undelivered as
   * before, and offered again. False when there is no such message.
   */
  drop(id: OutboxId): Promise<boolean>;
  /**
   * Messages that failed, or are held back and may have arrived, and were not yet reported to anybody who looks at
   * their sessions; the oldest first.
   */
  untold(limit: number): Promise<UndeliveredMessage[]>;
  /** In one step: marks the message as reported and writes `outbox`. Idempotent. */
  tell(id: OutboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
}

/**
 * Stores the lines that wait in terminals, so that they survive the end of a terminal. A line is not part of the
 * transcript until its turn starts: `startTurn` removes it in the step that writes it as a message.
 */
export interface TypedLines {
  /** Adds lines after those of the holder. A line that is stored already stays as it is. Throws SESSION_UNKNOWN. */
  keep(
    sessionId: SessionId,
    lines: readonly Pick<TypedLine, "id" | "text">[],
    holder: Holder,
    leaseMs: number,
  ): Promise<void>;
  /** Renews the lease on all lines of a holder. False when it has none. */
  renew(holder: Holder, leaseMs: number): Promise<boolean>;
  /**
   * Deletes lines of the holder that are done or no longer wanted. Returns how many: another terminal may have the
   * rest.
   */
  remove(ids: readonly LineId[], holder: Holder): Promise<number>;
  /** Releases all lines of a holder that ends, for the terminal that opens their session next. */
  release(holder: Holder): Promise<void>;
  /** Lists the lines that no live terminal holds, of one session or of all, in typing order. */
  left(sessionId?: SessionId): Promise<TypedLine[]>;
  /** Takes over those of the lines that no live terminal holds; the others were sent or taken over meanwhile. */
  takeOver(ids: readonly LineId[], holder: Holder, leaseMs: number): Promise<TypedLine[]>;
}
