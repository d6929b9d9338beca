import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Piece, SendReceipt } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import { reasonOf } from "../../base/errors.ts";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { RecentMap } from "../../base/recent-map.ts";
import type { Redactor } from "../../base/redact.ts";
import { REDACTOR } from "../../base/redact.ts";
import { CLOCK, HOLDER, LOGGER } from "../../base/tokens.ts";
import { FILES, type Files } from "../../files/files.ts";
import { closesQuestion, type OutboxId, type OutboxRow, onlyEdits, type SendOutcome } from "../../model/outbox.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Store } from "../../store/store.ts";
import { STORE } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { HomeWatch } from "../account/home-watch.ts";
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

/** Milliseconds that running calls may take when this process shuts down. */
const PATIENCE_MS = 5_000;

/**
 * The longest message, in UTF-16 units, that is formatted while the receipt of the one before it waits to be recorded. That
 * takes about a millisecond.
 */
const QUICKLY_FORMATTED = 4_000;

/** Milliseconds for which a row that was begun is this process's to send without asking; less than the account's lease. */
const BEGUN_FOR_MS = 10_000;

/** The account's lease, in milliseconds, as it is renewed where that was to be asked. */
const LEASE_MS = 15_000;

/** Milliseconds before a lane that could not be handled is tried again. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Sends the outbox of one platform account: the messages of a conversation in order, different conversations
 * concurrently. The account's lease makes this process the only sender.
 */
@scoped(Lifecycle.ContainerScoped)
export class Delivery implements AsyncDisposable {
  readonly #lanes = new KeyedQueue<SessionKey>({ onIdle: (key) => void this.#wakeIfDue(key) });
  readonly #timers = new Map<SessionKey, Disposable>();
  /** Rate-limited conversations, and until when. */
  readonly #restingUntil = new Map<SessionKey, number>();
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
  readonly #leftOpen = new RecentMap<TurnId, true>(1_000);
  readonly #watching: Disposable;
  readonly #leaving = new AbortController();
  readonly #looks = new Coalesced(() => this.#look());

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(REDACTOR) readonly redact: Redactor,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Pick<Account, "account">,
    @inject(HomeWatch) readonly homeWatch: Pick<HomeWatch, "home">,
    @inject(ChatReaders) readonly readers: Pick<ChatReaders, "mayRead" | "reading">,
    @inject(FILES) readonly files: Pick<Files, "read">,
  ) {
    this.#watching = store.watch(() => this.wake(), ["outbox"]);
    this.wake();
  }

  /** Looks for messages that are due. */
  wake(): void {
    void this.#looks.run();
  }

  /** Runs `work` while nothing else is sent to a conversation. */
  exclusive<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.#lanes.run(key, work);
  }

  /** Pauses a conversation because the platform rate-limited another send there. */
  rest(key: SessionKey, forMs: number): void {
    this.#restingUntil.set(key, this.clock.steady().ms + forMs);
  }

  async #look(): Promise<void> {
    const { store, adapter, account, logger } = this;
    if (this.#leaving.signal.aborted) return;
    try {
      for (const key of await store.outbox.openLanes(adapter.platform, account.account)) {
        // A lane at work, or waiting for a time, checks its head again by itself.
        if (this.#lanes.has(key) || this.#timers.has(key)) continue;
        void this.exclusive(key, () => this.#drain(key));
      }
    } catch (error) {
      logger.warn({ platform: adapter.platform, error }, "the outbox could not be read");
    }
  }

  /** A row may have come while the lane's last look was under way. */
  async #wakeIfDue(key: SessionKey): Promise<void> {
    if (this.#timers.has(key) || this.#leaving.signal.aborted) return;
    const head = await this.store.outbox.head(key).catch(() => null);
    if (head && head.dueAt <= this.clock.now()) this.wake();
  }

  async #drain(key: SessionKey): Promise<void> {
    const { store, clock, logger } = this;
    try {
      for (;;) {
        const begun = this.#begun.get(key);
        if (begun) {
          this.#begun.delete(key);
          if (!(await this.#send(begun.row, begun.askedAt))) return this.#wakeLater(key, LOOK_AGAIN_MS);
          continue;
        }
        if (this.#leaving.signal.aborted) return;
        const row = await store.outbox.head(key);
        if (row === null) return;
        const resting = (this.#restingUntil.get(key) ?? 0) - clock.steady().ms;
        const wait = Math.max(row.dueAt - clock.now(), resting);
        this.#restingUntil.delete(key);
        if (wait > 0) return this.#wakeLater(key, wait);
        if (!(await this.#deliver(row))) return this.#wakeLater(key, LOOK_AGAIN_MS);
      }
    } catch (error) {
      logger.error({ key, error }, "a message could not be delivered");
      this.#wakeLater(key, LOOK_AGAIN_MS);
    }
  }

  #wakeLater(key: SessionKey, delayMs: number): void {
    this.#timers.set(
      key,
      this.clock.setTimer(delayMs, () => {
        this.#timers.delete(key);
        this.wake();
      }),
    );
  }

  /** Deals with the head of a lane; false when it is not this process's to send. */
  async #deliver(head: OutboxRow): Promise<boolean> {
    const { store, clock, holder, adapter } = this;
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
    const { may, others } = await this.readers.reading(head);
    if (may === null) return false;
    if (!may) {
      await this.#settle(head, others === undefined ? notTheirs() : keptFrom(others));
      return true;
    }
    const pieces = head.piece === null ? await piecesOf(adapter, this.files, head.message) : ([head.piece] as const);
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
    await this.store.outbox.giveBack(id, this.holder);
    this.#unsent.delete(id);
  }

  /** A process that was stopped meanwhile may have lost the account: whoever has it sends what was begun. */
  async #isStillOurs(askedAt: number): Promise<boolean> {
    return this.clock.steady().ms < askedAt + BEGUN_FOR_MS || this.#holdsAccount();
  }

  #holdsAccount(): Promise<boolean> {
    const { store, holder, adapter, account } = this;
    return store.leases.acquire(accountLease(adapter.platform, account.account), holder, LEASE_MS);
  }

  /** The outcome of a dead process's call; null while the platform cannot be asked. */
  async #lookUp(row: OutboxRow): Promise<SendOutcome | null> {
    const lookups = this.#lookups.get(row.id) ?? 0;
    this.#lookups.set(row.id, lookups + 1);
    const outcome = await outcomeAfterCrash(this, row, lookups, this.#leaving.signal);
    if (outcome !== null) this.#lookups.delete(row.id);
    return outcome;
  }

  /**
   * How a piece is sent; first it is found out which message it completes, where that was left open. Null where another
   * process has it by now.
   */
  async #completionOf(row: OutboxRow, piece: Piece, askedAt: number): Promise<(() => Promise<void>) | null> {
    let settled: SettledDraft;
    const shown = await wholeShown(this.store, row);
    try {
      settled = await settleDraft(this, row, piece, shown);
    } catch (thrown) {
      // Nothing was sent but, at most, the draft itself, which is the same message however often it is sent.
      const outcome = outcomeOfError(this, thrown, row, { isRepeatable: true });
      if (outcome.kind === "again") return () => this.#settle(row, outcome);
      settled = await leaveUnknown(this.store, row, shown === "maybe");
    }
    const messageId = settled.row.draftMessageId;
    if (messageId === null && settled.mayBeWhole)
      return () => this.#settle(row, uncertainOutcome(this, "its first message may have shown it whole"));
    if (messageId !== null && shown === "yes") {
      return () => this.#settleSent(row, { messageId, sentAt: this.clock.now() });
    }
    const filled = await filledPiece(this.files, piece, row.attempts);
    // Nothing is awaited between this and the request but what the adapter itself waits for.
    if (!(await this.#isStillOurs(askedAt))) return null;
    return () => this.#call(settled.row, filled, settled.mayBeWhole);
  }

  async #call(row: OutboxRow, piece: FilledPiece, mayBeWhole = false): Promise<void> {
    const { draftMessageId } = row;
    if (!this.adapter.edit && onlyEdits(row)) return this.#settle(row, notEdited(this));
    // From here on the row says which call is made: an edit may be repeated, and a send may not.
    if (!this.adapter.edit && draftMessageId !== null)
      return this.#sendAnew(row, piece, mayBeWhole, "it cannot edit now");
    const result = await sendRow(this, row, piece).then(
      (receipt) => ({ receipt }),
      (thrown: unknown) => ({ thrown }),
    );
    if ("receipt" in result) return this.#settleSent(row, result.receipt);
    const { thrown } = result;
    if (isEditRefused(thrown, row)) return this.#sendAnew(row, piece, mayBeWhole, reasonOf(thrown));
    const outcome = outcomeOfError(this, thrown, row, { mayBeWhole });
    await this.#settle(row, outcome);
    if (leavesThread(thrown, row) && outcome.kind === "again") await leaveDeadThread(this, row);
  }

  /** Abandons a draft that can no longer be edited: the answer is sent as a new message. */
  async #sendAnew(row: OutboxRow, piece: FilledPiece, mayBeWhole: boolean, reason: string): Promise<void> {
    // An earlier attempt may have completed it: said anew, it would stand there twice.
    if (mayHaveArrived(row) || mayBeWhole)
      return this.#settle(row, uncertainOutcome(this, "its last edit may have been made"));
    this.logger.warn({ row: row.id, reason }, "an answer that grew cannot be completed; it is sent anew");
    return this.#call(await this.store.outbox.leaveDraft(row.id), piece);
  }

  /**
   * Records that a message arrived, and that the next one of its lane is about to be sent. The store makes one commit of
   * both. The next one is sent only when both are recorded.
   */
  async #settleSent(row: OutboxRow, receipt: SendReceipt): Promise<void> {
    const next = await this.#nextOf(row).catch(() => null);
    if (next === null) return this.#settle(row, { kind: "sent", receipt });
    const { id, pieces } = next;
    this.#ownCalls.add(id);
    const askedAt = this.clock.steady().ms;
    const [settled, begun] = await Promise.allSettled([
      this.#settle(row, { kind: "sent", receipt }),
      this.store.outbox.beginSend(id, this.holder, pieces),
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
    const { store, clock, adapter } = this;
    if (this.#leaving.signal.aborted || this.#restingUntil.has(key)) return null;
    const next = await store.outbox.head(key, id);
    if (next === null || next.state !== "queued" || next.dueAt > clock.now()) return null;
    if ((await this.readers.mayRead(next)) !== true) return null;
    if (next.piece !== null) return { id: next.id, pieces: [next.piece] };
    if (next.message.markdown.length > QUICKLY_FORMATTED || next.message.files?.length) return null;
    return { id: next.id, pieces: await piecesOf(adapter, this.files, next.message) };
  }

  /** Whether a question of the turn goes on asking although it is over, because it could not be edited. */
  leftOpen(turnId: TurnId): boolean {
    return this.#leftOpen.has(turnId);
  }

  async #settle(row: OutboxRow, outcome: SendOutcome): Promise<void> {
    const { id, turnId, attempts, sender } = row;
    const isDropped = closesQuestion(row) && ["failed", "withheld", "uncertain"].includes(outcome.kind);
    if (isDropped && turnId !== null) this.#leftOpen.set(turnId, true);
    this.#unsettled.set(id, { row, outcome });
    await this.store.outbox.settleSend(id, outcome, { attempts, sender });
    this.#unsettled.delete(id);
  }

  /** Starts no more calls and waits for the running ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    this.#watching[Symbol.dispose]();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    await this.#looks.idle();
    // A call that does not end in time is left to the next lease holder, which looks up its outcome.
    await isDoneWithin(this.clock, PATIENCE_MS, this.#lanes.idle());
  }
}
