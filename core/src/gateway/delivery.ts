import { type Clock, sleep } from "../base/clock.ts";
import { PlatformError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Redactor } from "../base/redact.ts";
import { storedError } from "../base/without-secrets.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { fenced } from "../markdown/fenced.ts";
import type { PlatformAdapter } from "../platform/adapter.ts";
import type { HomeChannel } from "../platform/conversation.ts";
import type { OutboundMessage, Piece, SendReceipt } from "../platform/message.ts";
import type { SessionKey } from "../platform/session-key.ts";
import type { OutboxRow, SendOutcome } from "../session/outbox.ts";
import type { Store } from "../session/store.ts";
import { leaveDeadThread } from "./leave-dead-thread.ts";

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

/** How long a platform may take for one call, in milliseconds. */
const SEND_DEADLINE_MS = 60_000;

/** How long calls that are under way may go on when this process leaves, in milliseconds. */
const PATIENCE_MS = 5_000;

/** A platform that cannot be reached is tried again after 1 s, 2 s, 4 s … and every five minutes, in milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 300_000;

/** After that many attempts a message is given up: about an hour. */
const MAX_SEND_ATTEMPTS = 20;

/**
 * Sends what stands in the outbox of one platform account: each conversation's messages in order, the conversations
 * side by side. It is the only one who sends there, since this process has the account's lease.
 */
export class Delivery implements AsyncDisposable {
  readonly #deps: DeliveryDeps;
  readonly #lanes = new Map<SessionKey, Promise<void>>();
  readonly #timers = new Map<SessionKey, Disposable>();
  /** Conversations in which the platform asked to wait, and until when. */
  readonly #restingUntil = new Map<SessionKey, number>();
  /** Rows whose call is under way in this process: their `sending` is no sign of a crash. */
  readonly #ownCalls = new Set<string>();
  readonly #watching: Disposable;
  readonly #leaving = new AbortController();
  #looking: Promise<void> | null = null;
  #lookAgain = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#watching = deps.store.watch(() => this.wake());
    this.wake();
  }

  /** Looks for messages that are due. */
  wake(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  /** Runs `work` while nothing else is sent to a conversation. */
  exclusive<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    const result = (this.#lanes.get(key) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#lanes.set(key, settled);
    void settled.then(() => {
      if (this.#lanes.get(key) !== settled) return;
      this.#lanes.delete(key);
      void this.#wakeIfDue(key);
    });
    return result;
  }

  /** Sends nothing to a conversation for a while: the platform asked for that when something else was sent there. */
  rest(key: SessionKey, forMs: number): void {
    this.#restingUntil.set(key, this.#deps.clock.now() + forMs);
  }

  async #look(): Promise<void> {
    const { store, platform, account, logger } = this.#deps;
    while (this.#lookAgain && !this.#leaving.signal.aborted) {
      this.#lookAgain = false;
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
        if (!(await this.#deliver(row))) return this.#wakeLater(key, FIRST_RETRY_MS);
      }
    } catch (error) {
      logger.error({ key, error }, "a message could not be delivered");
      this.#wakeLater(key, FIRST_RETRY_MS);
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
    const { store, holder } = this.#deps;
    const row = head.piece === null ? await store.outbox.expand(head.id, this.#render(head)) : head;
    if (row.state === "sending" && !this.#ownCalls.has(row.id)) {
      await store.outbox.settleSend(row.id, await this.#fateOf(row));
      return true;
    }
    if (row.piece === null || !(await store.outbox.beginSend(row.id, holder))) return false;
    this.#ownCalls.add(row.id);
    try {
      const receipt = await this.#call(row, row.piece);
      await store.outbox.settleSend(row.id, { kind: "sent", receipt });
    } catch (thrown) {
      const outcome = this.#outcomeOf(thrown, row);
      await store.outbox.settleSend(row.id, outcome);
      if (isThreadGone(thrown) && outcome.kind === "again") await leaveDeadThread(this.#deps, row);
    } finally {
      this.#ownCalls.delete(row.id);
    }
    return true;
  }

  #render(row: OutboxRow): Piece[] {
    const { adapter } = this.#deps;
    const pieces = adapter.render(adapter.capabilities.files ? row.message : withFilesAsText(row.message));
    return pieces.length > 0 ? pieces : [{ text: row.message.markdown }];
  }

  async #call(row: OutboxRow, piece: Piece): Promise<SendReceipt> {
    const { adapter, clock } = this.#deps;
    const deadline = new AbortController();
    const options = { key: row.id, signal: deadline.signal };
    using _timer = clock.setTimer(SEND_DEADLINE_MS, () => deadline.abort());
    const expired = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener("abort", () =>
        reject(
          new PlatformError("PLATFORM_UNCERTAIN", { platform: adapter.platform, reason: "it did not answer in time" }),
        ),
      );
    });
    return Promise.race([this.#sendOrEdit(row, piece, options), expired]);
  }

  async #sendOrEdit(
    row: OutboxRow,
    piece: Piece,
    options: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<SendReceipt> {
    const { adapter } = this.#deps;
    if (row.draftMessageId !== null && adapter.edit) {
      try {
        return await adapter.edit(row.conversation, row.draftMessageId, piece, options);
      } catch (error) {
        // The growing message was removed: the answer goes out as a new one.
        if (!(error instanceof PlatformError && error.code === "PLATFORM_NOT_FOUND")) throw error;
      }
    }
    return adapter.send(row.conversation, piece, options);
  }

  /** What became of a call whose process died before it could record it. */
  async #fateOf(row: OutboxRow): Promise<SendOutcome> {
    const { adapter, clock, platform } = this.#deps;
    const again: SendOutcome = {
      kind: "again",
      dueAt: clock.now(),
      error: { code: "PLATFORM_UNCERTAIN", text: "The process that sent it died." },
    };
    // An edit says the same however often it is made.
    if (row.draftMessageId !== null || adapter.capabilities.idempotentSend) return again;
    if (adapter.findSent) {
      try {
        const receipt = await adapter.findSent(row.conversation, row.id, this.#leaving.signal);
        return receipt ? { kind: "sent", receipt } : again;
      } catch (error) {
        this.#deps.logger.warn({ row: row.id, reason: reasonOf(error) }, "a sent message could not be looked up");
      }
    }
    const unknown = new PlatformError("PLATFORM_UNCERTAIN", { platform, reason: "the process that sent it died" });
    return { kind: "uncertain", error: storedError(unknown, this.#deps.redact) };
  }

  #outcomeOf(thrown: unknown, row: OutboxRow): SendOutcome {
    const { clock, platform, adapter, logger, redact } = this.#deps;
    const error =
      thrown instanceof PlatformError
        ? thrown
        : new PlatformError("PLATFORM_UNCERTAIN", { platform, reason: reasonOf(thrown) }, { cause: thrown });
    logger.warn({ row: row.id, platform, code: error.code, error: thrown }, "a message was not sent");
    const stored = storedError(error, redact);
    const mayRepeat =
      error.retryable ||
      (isThreadGone(error) && row.conversation.threadId !== undefined) ||
      (error.code === "PLATFORM_UNCERTAIN" && adapter.capabilities.idempotentSend);
    if (mayRepeat && row.attempts + 1 < MAX_SEND_ATTEMPTS) {
      const backOff = Math.min(FIRST_RETRY_MS * 2 ** row.attempts, LAST_RETRY_MS);
      const wait = isThreadGone(error) ? 0 : (error.retryAfterMs ?? backOff);
      return { kind: "again", dueAt: clock.now() + wait, error: stored };
    }
    return { kind: error.code === "PLATFORM_UNCERTAIN" ? "uncertain" : "failed", error: stored };
  }

  /** Begins nothing more, and waits for the calls that are under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    this.#watching[Symbol.dispose]();
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    await this.#looking;
    const settled = Promise.allSettled(this.#lanes.values());
    const done = new AbortController();
    void settled.then(() => done.abort());
    // What does not end in time is left as it is: the next holder looks up what became of it.
    await Promise.race([settled, sleep(this.#deps.clock, PATIENCE_MS, done.signal)]);
  }
}

/** Where files cannot be sent, they are read in the message. */
function withFilesAsText({ files, ...message }: OutboundMessage): OutboundMessage {
  if (!files?.length) return message;
  const texts = files.map(({ name, text }) => `**${escapeMarkdown(name)}**\n\n${fenced(text)}`);
  return { ...message, markdown: [message.markdown, ...texts].join("\n\n") };
}

function isThreadGone(error: unknown): boolean {
  return error instanceof PlatformError && error.code === "PLATFORM_THREAD_GONE";
}
