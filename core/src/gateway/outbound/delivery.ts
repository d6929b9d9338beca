import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { HomeChannel } from "../../adapter/conversation.ts";
import type { Piece } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import { reasonOf } from "../../base/errors.ts";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { Redactor } from "../../base/redact.ts";
import type { OutboxId, OutboxRow, SendOutcome } from "../../model/outbox.ts";
import type { Store } from "../../store/store.ts";
import { findDraft } from "./find-draft.ts";
import { leaveDeadThread } from "./leave-dead-thread.ts";
import { isEditRefused, leavesThread, outcomeAfterCrash, outcomeOfError, uncertainOutcome } from "./send-outcome.ts";
import { piecesOf, sendRow } from "./send-row.ts";

export interface DeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly platform: string;
  readonly account: string | undefined;
  readonly adapter: PlatformAdapter;
  readonly home: () => HomeChannel | null;
  readonly redact: Redactor;
}

/** How long calls that are under way may go on when this process leaves, in milliseconds. */
const PATIENCE_MS = 5_000;

/** What could not be dealt with is looked at again after this long, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Sends what stands in the outbox of one platform account: each conversation's messages in order, the conversations
 * side by side. It is the only one who sends there, since this process has the account's lease.
 */
export class Delivery implements AsyncDisposable {
  readonly #deps: DeliveryDeps;
  readonly #lanes = new KeyedQueue<SessionKey>({ onIdle: (key) => void this.#wakeIfDue(key) });
  readonly #timers = new Map<SessionKey, Disposable>();
  /** Conversations in which the platform asked to wait, and until when. */
  readonly #restingUntil = new Map<SessionKey, number>();
  /** Rows whose call is under way in this process: their `sending` is no sign of a crash. */
  readonly #ownCalls = new Set<OutboxId>();
  /** What became of a call, until the store has taken it: a busy one is asked again. */
  readonly #unsettled = new Map<OutboxId, SendOutcome>();
  /** How often it was asked what became of a call. */
  readonly #lookups = new Map<OutboxId, number>();
  readonly #watching: Disposable;
  readonly #leaving = new AbortController();
  readonly #looks = new Coalesced(() => this.#look());

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#watching = deps.store.watch(() => this.wake());
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

  /** Sends nothing to a conversation for a while: the platform asked for that when something else was sent there. */
  rest(key: SessionKey, forMs: number): void {
    this.#restingUntil.set(key, this.#deps.clock.now() + forMs);
  }

  async #look(): Promise<void> {
    const { store, platform, account, logger } = this.#deps;
    if (this.#leaving.signal.aborted) return;
    try {
      for (const key of await store.outbox.openLanes(platform, account)) {
        // A lane at work looks at its head again by itself, and so does one that waits for a time.
        if (this.#lanes.has(key) || this.#timers.has(key)) continue;
        void this.exclusive(key, () => this.#drain(key));
      }
    } catch (error) {
      logger.warn({ platform, error }, "the outbox could not be read");
    }
  }

  /** A row may have come while the lane's last look was under way. */
  async #wakeIfDue(key: SessionKey): Promise<void> {
    if (this.#timers.has(key) || this.#leaving.signal.aborted) return;
    const head = await this.#deps.store.outbox.head(key).catch(() => null);
    if (head && head.dueAt <= this.#deps.clock.now()) this.wake();
  }

  async #drain(key: SessionKey): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      while (!this.#leaving.signal.aborted) {
        const row = await store.outbox.head(key);
        if (row === null) return;
        const wait = Math.max(row.dueAt, this.#restingUntil.get(key) ?? 0) - clock.now();
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
      this.#deps.clock.setTimer(delayMs, () => {
        this.#timers.delete(key);
        this.wake();
      }),
    );
  }

  /** Deals with the head of a lane; false when it is not this process's to send. */
  async #deliver(head: OutboxRow): Promise<boolean> {
    const { store, holder, adapter } = this.#deps;
    if (head.state === "sending" && !this.#ownCalls.has(head.id)) {
      const outcome = this.#unsettled.get(head.id) ?? (await this.#lookUp(head));
      if (outcome === null) return false;
      await this.#settle(head, outcome);
      return true;
    }
    const pieces = head.piece === null ? await piecesOf(adapter, head.message) : ([head.piece] as const);
    const row = await store.outbox.beginSend(head.id, holder, pieces);
    if (row === null || row.piece === null) return false;
    this.#ownCalls.add(row.id);
    try {
      await this.#complete(row, row.piece);
    } finally {
      this.#ownCalls.delete(row.id);
    }
    return true;
  }

  /** What became of a call of a process that died; null while the platform cannot be asked. */
  async #lookUp(row: OutboxRow): Promise<SendOutcome | null> {
    const lookups = this.#lookups.get(row.id) ?? 0;
    this.#lookups.set(row.id, lookups + 1);
    const outcome = await outcomeAfterCrash(this.#deps, row, lookups, this.#leaving.signal);
    if (outcome !== null) this.#lookups.delete(row.id);
    return outcome;
  }

  /** Sends a piece; first it is found out which message it completes, where that was left open. */
  async #complete(row: OutboxRow, piece: Piece): Promise<void> {
    let draft: string | null;
    try {
      draft = await findDraft(this.#deps, row, piece);
    } catch (thrown) {
      // Nothing was sent but, at most, the draft itself, which is the same message however often it is sent.
      const outcome = outcomeOfError(this.#deps, thrown, row, true);
      if (outcome.kind === "again") return this.#settle(row, outcome);
      draft = null;
    }
    return this.#call(draft === null ? row : await this.#deps.store.outbox.takeDraft(row.id, draft), piece);
  }

  async #call(row: OutboxRow, piece: Piece): Promise<void> {
    const result = await sendRow(this.#deps, row, piece).then(
      (receipt) => ({ receipt }),
      (thrown: unknown) => ({ thrown }),
    );
    if ("receipt" in result) return this.#settle(row, { kind: "sent", receipt: result.receipt });
    const { thrown } = result;
    if (isEditRefused(thrown, row)) {
      // An earlier attempt, whose word was lost, may have completed it: said anew, it would stand there twice.
      if (row.attempts > 1) return this.#settle(row, uncertainOutcome(this.#deps, "its last edit may have been made"));
      return this.#call(await this.#leaveDraft(row, thrown), piece);
    }
    const outcome = outcomeOfError(this.#deps, thrown, row);
    await this.#settle(row, outcome);
    if (leavesThread(thrown, row) && outcome.kind === "again") await leaveDeadThread(this.#deps, row);
  }

  /** What stands there of an answer cannot become the whole of it, which goes out as a message of its own. */
  #leaveDraft(row: OutboxRow, refusal: unknown): Promise<OutboxRow> {
    const { store, logger } = this.#deps;
    logger.warn({ row: row.id, reason: reasonOf(refusal) }, "an answer that grew cannot be completed; it is sent anew");
    return store.outbox.leaveDraft(row.id);
  }

  async #settle({ id }: OutboxRow, outcome: SendOutcome): Promise<void> {
    this.#unsettled.set(id, outcome);
    await this.#deps.store.outbox.settleSend(id, outcome);
    this.#unsettled.delete(id);
  }

  /** Begins nothing more, and waits for the calls that are under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    this.#watching[Symbol.dispose]();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    await this.#looks.idle();
    // What does not end in time is left as it is: the next holder looks up what became of it.
    await isDoneWithin(this.#deps.clock, PATIENCE_MS, this.#lanes.idle());
  }
}
