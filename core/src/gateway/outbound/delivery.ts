import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { CLOCK, HOLDER, LOGGER } from "../../base/tokens.ts";
import { FILES, type Files } from "../../files/files.ts";
import { OpenedThreads } from "../../handoff/opened-threads.ts";
import type { TurnId } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { Sender } from "./sender.ts";

/** Milliseconds that running calls may take when this process shuts down. */
const PATIENCE_MS = 5_000;

/** Milliseconds before a lane that could not be handled is tried again. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Sends the outbox of one platform account: the messages of a conversation in order, different conversations
 * concurrently. The account's lease makes this process the only sender.
 */
@scoped(Lifecycle.ContainerScoped)
export class Delivery implements AsyncDisposable {
  readonly opened = new OpenedThreads();
  readonly #lanes = new KeyedQueue<SessionKey>({ onIdle: (key) => void this.#wakeIfDue(key) });
  readonly #timers = new Map<SessionKey, Disposable>();
  /** Rate-limited conversations, and until when. */
  readonly #restingUntil = new Map<SessionKey, number>();
  readonly #sender: Sender;
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
    this.#sender = new Sender(this, this.#leaving.signal, (key) => this.#restingUntil.has(key));
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
        const sent = await this.#sender.sendBegun(key);
        if (sent === false) return this.#wakeLater(key, LOOK_AGAIN_MS);
        if (sent) continue;
        if (this.#leaving.signal.aborted) return;
        const row = await store.outbox.head(key);
        if (row === null) return;
        const resting = (this.#restingUntil.get(key) ?? 0) - clock.steady().ms;
        const wait = Math.max(row.dueAt - clock.now(), resting);
        this.#restingUntil.delete(key);
        if (wait > 0) return this.#wakeLater(key, wait);
        if (!(await this.#sender.deliver(row))) return this.#wakeLater(key, LOOK_AGAIN_MS);
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

  /** Whether a question of the turn goes on asking although it is over, because it could not be edited. */
  leftOpen(turnId: TurnId): boolean {
    return this.#sender.leftOpen.has(turnId);
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
