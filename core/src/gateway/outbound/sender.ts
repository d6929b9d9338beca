import type { Piece, SendReceipt } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { reasonOf } from "../../base/errors.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { closesQuestion, type OutboxId, type OutboxRow, onlyEdits, type SendOutcome } from "../../model/outbox.ts";
import type { TurnId } from "../../model/turn.ts";
import { accountLease } from "../../store/work-stores.ts";
import type { Delivery } from "./delivery.ts";
import { leaveUnknown, type SettledDraft, settleDraft, wholeShown } from "./find-draft.ts";
import { leaveDeadThread } from "./leave-dead-thread.ts";
import {
  isEditRefused,
  keptFrom,
  leavesThread,
  mayHaveArrived,
  notEdited,
  notTheirs,
  outcomeAfterCrash,
  outcomeOfError,
  uncertainOutcome,
} from "./send-outcome.ts";
import { type FilledPiece, filledPiece, piecesOf, sendRow } from "./send-row.ts";

/**
 * The longest message, in UTF-16 units, that is formatted while the receipt of the one before it waits to be recorded. That
 * takes about a millisecond.
 */
const QUICKLY_FORMATTED = 4_000;

/** Milliseconds for which a row that was begun is this process's to send without asking; less than the account's lease. */
const BEGUN_FOR_MS = 10_000;

/** The account's lease, in milliseconds, as it is renewed where that was to be asked. */
const LEASE_MS = 15_000;

/**
 * Sends the rows of the outbox that are due, each at most once, and records what became of them. What another process may
 * have sent is looked up first.
 */
export class Sender {
  readonly #delivery: Delivery;
  readonly #leaving: AbortSignal;
  readonly #isResting: (key: SessionKey) => boolean;
  /** Turns that are over and whose question goes on asking, because it could not be edited. */
  readonly leftOpen = new RecentMap<TurnId, true>(1_000);
  /** Rows whose call is under way in this process: their `sending` is no sign of a crash. */
  readonly #ownCalls = new Set<OutboxId>();
  /** Rows that were begun in the same step in which the one before them was settled; their call comes next. */
  readonly #begun = new Map<SessionKey, { readonly row: OutboxRow; readonly askedAt: number }>();
  /** Outcomes of calls that the store has not recorded yet; a busy store is retried. */
  readonly #unsettled = new Map<OutboxId, { readonly row: OutboxRow; readonly outcome: SendOutcome }>();
  /** Rows that were begun and not sent, which the store has not recorded yet. */
  readonly #unsent = new Set<OutboxId>();
  /** How often the outcome of a call was looked up. */
  readonly #lookups = new Map<OutboxId, number>();

  constructor(delivery: Delivery, leaving: AbortSignal, isResting: (key: SessionKey) => boolean) {
    this.#delivery = delivery;
    this.#leaving = leaving;
    this.#isResting = isResting;
  }

  /** Sends the row that was begun for a lane already; null where none is, false where another process has it by now. */
  async sendBegun(key: SessionKey): Promise<boolean | null> {
    const begun = this.#begun.get(key);
    if (begun === undefined) return null;
    this.#begun.delete(key);
    return this.#send(begun.row, begun.askedAt);
  }

  /** Deals with the head of a lane; false when it is not this process's to send. */
  async deliver(head: OutboxRow): Promise<boolean> {
    const { store, clock, holder, adapter, files, readers } = this.#delivery;
    if (head.state === "sending" && !this.#ownCalls.has(head.id)) {
      if (this.#unsent.has(head.id)) {
        await this.#giveBack(head.id);
        return true;
      }
      // One that was stopped meanwhile would take what the next gateway is sending for what a dead one left.
      const unsettled = this.#unsettled.get(head.id);
      if (unsettled === undefined && !(await this.#holdsAccount())) return false;
      const outcome = unsettled?.outcome ?? (await this.#lookUp(head));
      if (outcome === null) return false;
      // By now it may be another process that sends it.
      await this.#settle(unsettled?.row ?? head, outcome);
      return true;
    }
    const { may, others } = await readers.reading(head);
    if (may === null) return false;
    if (!may) {
      await this.#settle(head, others === undefined ? notTheirs() : keptFrom(others));
      return true;
    }
    const pieces = head.piece === null ? await piecesOf(adapter, files, head.message) : ([head.piece] as const);
    const askedAt = clock.steady().ms;
    const row = await store.outbox.beginSend(head.id, holder, pieces);
    return row !== null && (await this.#send(row, askedAt));
  }

  /** Sends a row that is begun; false where another process has it by now. `askedAt`: when it was to be begun. */
  async #send(row: OutboxRow, askedAt: number): Promise<boolean> {
    this.#ownCalls.add(row.id);
    try {
      if (row.piece === null) return true;
      const call = await this.#callOf(row, row.piece, askedAt);
      await call?.();
      return call !== null;
    } finally {
      this.#ownCalls.delete(row.id);
    }
  }

  /** Returns the call that completes a claimed row; null if another process owns it by now. */
  async #callOf(row: OutboxRow, piece: Piece, askedAt: number): Promise<(() => Promise<void>) | null> {
    let call: (() => Promise<void>) | null = null;
    try {
      if (await this.#isStillOurs(askedAt)) call = await this.#completionOf(row, piece, askedAt);
      return call;
    } finally {
      if (call === null) await this.#giveBack(row.id);
    }
  }

  /** Whoever has the account sends it: nobody needs to look for it. */
  async #giveBack(id: OutboxId): Promise<void> {
    this.#unsent.add(id);
    await this.#delivery.store.outbox.giveBack(id, this.#delivery.holder);
    this.#unsent.delete(id);
  }

  /** A process that was stopped meanwhile may have lost the account: whoever has it sends what was begun. */
  async #isStillOurs(askedAt: number): Promise<boolean> {
    return this.#delivery.clock.steady().ms < askedAt + BEGUN_FOR_MS || this.#holdsAccount();
  }

  #holdsAccount(): Promise<boolean> {
    const { store, holder, adapter, account } = this.#delivery;
    return store.leases.acquire(accountLease(adapter.platform, account.account), holder, LEASE_MS);
  }

  /** The outcome of a dead process's call; null while the platform cannot be asked. */
  async #lookUp(row: OutboxRow): Promise<SendOutcome | null> {
    const lookups = this.#lookups.get(row.id) ?? 0;
    this.#lookups.set(row.id, lookups + 1);
    const outcome = await outcomeAfterCrash(this.#delivery, row, lookups, this.#leaving);
    if (outcome !== null) this.#lookups.delete(row.id);
    return outcome;
  }

  /**
   * How a piece is sent; first it is found out which message it completes, where that was left open. Null where another
   * process has it by now.
   */
  async #completionOf(row: OutboxRow, piece: Piece, askedAt: number): Promise<(() => Promise<void>) | null> {
    const { store, clock, files } = this.#delivery;
    let settled: SettledDraft;
    const shown = await wholeShown(store, row);
    try {
      settled = await settleDraft(this.#delivery, row, piece, shown);
    } catch (thrown) {
      // Nothing was sent but, at most, the draft itself, which is the same message however often it is sent.
      const outcome = outcomeOfError(this.#delivery, thrown, row, { isRepeatable: true });
      if (outcome.kind === "again") return () => this.#settle(row, outcome);
      settled = await leaveUnknown(store, row, shown === "maybe");
    }
    const messageId = settled.row.draftMessageId;
    if (messageId === null && settled.mayBeWhole)
      return () => this.#settle(row, uncertainOutcome(this.#delivery, "its first message may have shown it whole"));
    if (messageId !== null && shown === "yes") {
      return () => this.#settleSent(row, { messageId, sentAt: clock.now() });
    }
    const filled = await filledPiece(files, piece, row.attempts);
    // Nothing is awaited between this and the request but what the adapter itself waits for.
    if (!(await this.#isStillOurs(askedAt))) return null;
    return () => this.#call(settled.row, filled, settled.mayBeWhole);
  }

  async #call(row: OutboxRow, piece: FilledPiece, mayBeWhole = false): Promise<void> {
    const canEdit = this.#delivery.adapter.edit !== undefined;
    if (!canEdit && onlyEdits(row)) return this.#settle(row, notEdited(this.#delivery));
    // From here on the row says which call is made: an edit may be repeated, and a send may not.
    if (!canEdit && row.draftMessageId !== null) return this.#sendAnew(row, piece, mayBeWhole, "it cannot edit now");
    const result = await sendRow(this.#delivery, row, piece).then(
      (receipt) => ({ receipt }),
      (thrown: unknown) => ({ thrown }),
    );
    if ("receipt" in result) return this.#settleSent(row, result.receipt);
    const { thrown } = result;
    if (isEditRefused(thrown, row)) return this.#sendAnew(row, piece, mayBeWhole, reasonOf(thrown));
    const outcome = outcomeOfError(this.#delivery, thrown, row, { mayBeWhole });
    await this.#settle(row, outcome);
    if (leavesThread(thrown, row) && outcome.kind === "again") await leaveDeadThread(this.#delivery, row);
  }

  /** Abandons a draft that can no longer be edited: the answer is sent as a new message. */
  async #sendAnew(row: OutboxRow, piece: FilledPiece, mayBeWhole: boolean, reason: string): Promise<void> {
    // An earlier attempt may have completed it: said anew, it would stand there twice.
    if (mayHaveArrived(row) || mayBeWhole)
      return this.#settle(row, uncertainOutcome(this.#delivery, "its last edit may have been made"));
    this.#delivery.logger.warn({ row: row.id, reason }, "an answer that grew cannot be completed; it is sent anew");
    return this.#call(await this.#delivery.store.outbox.leaveDraft(row.id), piece);
  }

  /**
   * Records that a message arrived, and that the next one of its lane is about to be sent. The store makes one commit of
   * both. The next one is sent only when both are recorded.
   */
  async #settleSent(row: OutboxRow, receipt: SendReceipt): Promise<void> {
    const { store, clock, holder } = this.#delivery;
    const next = await this.#nextOf(row).catch(() => null);
    if (next === null) return this.#settle(row, { kind: "sent", receipt });
    const { id, pieces } = next;
    this.#ownCalls.add(id);
    const askedAt = clock.steady().ms;
    const [settled, begun] = await Promise.allSettled([
      this.#settle(row, { kind: "sent", receipt }),
      store.outbox.beginSend(id, holder, pieces),
    ]);
    const started = begun.status === "fulfilled" ? begun.value : null;
    if (settled.status === "fulfilled" && started !== null) {
      this.#begun.set(row.key, { row: started, askedAt });
      return;
    }
    this.#ownCalls.delete(id);
    // It was begun and is not sent yet, so that it waits as before.
    if (started !== null) this.#unsent.add(id);
    if (settled.status === "rejected") throw settled.reason;
  }

  /** The row behind another one, and its pieces; null when it is not to be sent at once. */
  async #nextOf({ key, id }: OutboxRow): Promise<{ id: OutboxId; pieces: readonly [Piece, ...Piece[]] } | null> {
    const { store, clock, adapter, files, readers } = this.#delivery;
    if (this.#leaving.aborted || this.#isResting(key)) return null;
    const next = await store.outbox.head(key, id);
    if (next === null || next.state !== "queued" || next.dueAt > clock.now()) return null;
    if ((await readers.mayRead(next)) !== true) return null;
    if (next.piece !== null) return { id: next.id, pieces: [next.piece] };
    if (next.message.markdown.length > QUICKLY_FORMATTED || next.message.files?.length) return null;
    return { id: next.id, pieces: await piecesOf(adapter, files, next.message) };
  }

  async #settle(row: OutboxRow, outcome: SendOutcome): Promise<void> {
    const { id, turnId, attempts, sender } = row;
    const isDropped = closesQuestion(row) && ["failed", "withheld", "uncertain"].includes(outcome.kind);
    if (isDropped && turnId !== null) this.leftOpen.set(turnId, true);
    this.#unsettled.set(id, { row, outcome });
    await this.#delivery.store.outbox.settleSend(id, outcome, { attempts, sender });
    this.#unsettled.delete(id);
  }
}
