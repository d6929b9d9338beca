import type { Clock } from "../base/clock.ts";
import { PlatformError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { PlatformAdapter, SendOptions } from "../platform/adapter.ts";
import type { Conversation } from "../platform/conversation.ts";
import type { Piece, SendReceipt } from "../platform/message.ts";
import { renderMessage } from "../platform/render-message.ts";
import type { SessionKey } from "../platform/session-key.ts";
import type { Store } from "../session/store.ts";
import type { Turn } from "../session/turn.ts";
import type { Delivery } from "./delivery.ts";

export interface GrowingAnswerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly adapter: PlatformAdapter;
  readonly delivery: Delivery;
}

/** A turn that is over by then, in milliseconds, needs no sign of work, and its answer need not grow: it is sent once. */
export const FIRST_SHOWN_MS = 300;

/** An answer of up to this length grows as often as the platform permits, in UTF-16 units; a longer one less often. */
const AT_FULL_PACE = 4_000;

/** The longest answer that is shown while it grows, in UTF-16 units. */
const MOST_SHOWN = 12_000;

/** How long the platform may take to say which message an answer had begun to grow in, in milliseconds. */
const LOOK_UP_MS = 10_000;

/** Made once: a signal that is given no reason makes one for each turn, with a stack trace that nobody reads. */
export const OVER = new Error("nothing more is shown of this turn");

/**
 * Shows an answer while it is written, by edits of one message. It is a draft: the stored answer is delivered as its
 * last edit. Where a draft cannot be sent, the answer simply arrives whole.
 */
export class GrowingAnswer {
  readonly #deps: GrowingAnswerDeps;
  readonly #at: { readonly key: SessionKey; readonly conversation: Conversation };
  readonly #turn: Turn;
  readonly #minIntervalMs: number;
  readonly #stopped = new AbortController();
  #text = "";
  #shown = "";
  #messageId: string | null = null;
  /** A message of this turn may be there that the store has no id of: sent by a process that died, or without an answer. */
  #mayBeThere: boolean;
  #timer: Disposable | null = null;
  #flushing: Promise<void> | null = null;
  #lookingBack: Promise<void> | null = null;
  /** When it may be shown next: at its own pace, or when the platform that asked to wait has said. */
  #nextAt: number;

  constructor(deps: GrowingAnswerDeps, at: { key: SessionKey; conversation: Conversation }, turn: Turn) {
    this.#deps = deps;
    this.#at = at;
    this.#turn = turn;
    this.#mayBeThere = turn.attempt > 1;
    const { edits } = deps.adapter.capabilities;
    this.#minIntervalMs = edits === false ? Number.POSITIVE_INFINITY : edits.minIntervalMs;
    if (edits === false) this.#stopped.abort(OVER);
    this.#nextAt = deps.clock.now() + Math.min(this.#minIntervalMs, FIRST_SHOWN_MS);
  }

  push(delta: string): void {
    this.#text += delta;
    this.#later();
  }

  /** What was said until now was not the answer: tools run, and the next text takes its place. */
  restart(): void {
    this.#text = "";
  }

  /** Shows nothing more; resolves when the message that was shown last is recorded. */
  async close(): Promise<void> {
    this.#stopped.abort(OVER);
    this.#timer?.[Symbol.dispose]();
    await this.#flushing;
    this.#lookingBack ??= this.#lookBack();
    await this.#lookingBack;
  }

  #later(): void {
    if (this.#timer || this.#flushing || this.#stopped.signal.aborted) return;
    const { clock } = this.#deps;
    const wait = Math.max(0, this.#nextAt - clock.now());
    this.#timer = clock.setTimer(wait, () => {
      this.#timer = null;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        // All of it is formatted each time: the longer it is, the more is waited for, so that the work stays in proportion.
        const pace = this.#minIntervalMs * Math.max(1, this.#shown.length / AT_FULL_PACE);
        this.#nextAt = Math.max(this.#nextAt, clock.now() + pace);
        if (this.#text !== this.#shown) this.#later();
      });
    });
  }

  #flush(): Promise<void> {
    const { delivery, store, logger } = this.#deps;
    return delivery.exclusive(this.#at.key, async () => {
      try {
        const text = this.#text;
        if (this.#stopped.signal.aborted || !text.trim() || text === this.#shown) return;
        if (!(await this.#isOurs())) return this.#stopped.abort(OVER);
        // What was to be said before comes first.
        if ((await store.outbox.head(this.#at.key)) !== null) return;
        const [piece, ...more] = this.#render(text);
        if (piece) await this.#show(piece);
        this.#shown = text;
        // One message has grown as far as it can.
        if (more.length > 0 || text.length > MOST_SHOWN) this.#stopped.abort(OVER);
      } catch (error) {
        const waitMs = error instanceof PlatformError ? error.retryAfterMs : null;
        if (waitMs === null) {
          this.#stopped.abort(OVER);
        } else {
          this.#nextAt = this.#deps.clock.now() + waitMs;
          // The whole answer, which goes out elsewhere, has to wait as well.
          delivery.rest(this.#at.key, waitMs);
        }
        logger.debug({ turn: this.#turn.id, reason: reasonOf(error) }, "a growing answer could not be shown");
      }
    });
  }

  /** The first section alone: what stands behind it is not in the message that grows. */
  #render(text: string): readonly Piece[] {
    const [pieces = []] = renderMessage(this.#deps.adapter, {
      kind: "answer",
      markdown: text.slice(0, MOST_SHOWN),
    });
    return pieces;
  }

  /** A process that slept may have lost its turn: the answer that is shown by now is another's. */
  async #isOurs(): Promise<boolean> {
    const current = await this.#deps.store.turns.get(this.#turn.id);
    return current?.state === "running" && current.fence === this.#turn.fence;
  }

  async #show(piece: Piece): Promise<void> {
    const { adapter, store } = this.#deps;
    const { conversation, key } = this.#at;
    const turnId = this.#turn.id;
    const options = { key: `draft:${turnId}`, sessionId: this.#turn.sessionId, signal: this.#stopped.signal };
    if (this.#messageId !== null) {
      await adapter.edit?.(conversation, this.#messageId, piece, options);
      return;
    }
    const known = await store.outbox.draftOf(turnId);
    if (known?.messageId) {
      // The turn runs again after a crash, and what it had shown then is there.
      this.#messageId = known.messageId;
      await adapter.edit?.(conversation, known.messageId, piece, options);
      return;
    }
    if (known && !(await this.#mayRepeat(options.key))) {
      this.#stopped.abort(OVER);
      return;
    }
    await store.outbox.saveDraft({ turnId, key, conversation, messageId: null });
    this.#mayBeThere = true;
    // Not to be cut off: a message that was sent and not recorded could not be edited any more.
    const receipt = await adapter.send(conversation, piece, { ...options, signal: new AbortController().signal });
    await this.#record(receipt);
  }

  /** Whether a first send, whose outcome a crash left open, may be made again. */
  async #mayRepeat(sendKey: string): Promise<boolean> {
    const { adapter } = this.#deps;
    if (adapter.capabilities.idempotentSend) return true;
    return adapter.findSent !== undefined && !(await this.#findShown(sendKey, this.#stopped.signal));
  }

  /**
   * What was sent first, and whose id is not stored, is the message that the answer completes. It would else stand there
   * for ever, half said.
   */
  async #lookBack(): Promise<void> {
    const { adapter, clock, logger, store } = this.#deps;
    if (!this.#mayBeThere || !adapter.edit) return;
    const late = new AbortController();
    using _timer = clock.setTimer(LOOK_UP_MS, () => late.abort());
    const options = { key: `draft:${this.#turn.id}`, sessionId: this.#turn.sessionId, signal: late.signal };
    try {
      const draft = await store.outbox.draftOf(this.#turn.id);
      if (draft === null || draft.messageId !== null) return;
      if (this.#messageId !== null) await this.#record({ messageId: this.#messageId });
      else if (adapter.findSent) await this.#findShown(options.key, options.signal);
      else if (adapter.capabilities.idempotentSend) await this.#repeat(options);
    } catch (error) {
      logger.debug({ turn: this.#turn.id, reason: reasonOf(error) }, "a message shown before could not be looked up");
    }
  }

  /** Looks for the message that was sent first, and records it where it is there. */
  async #findShown(sendKey: string, signal: AbortSignal): Promise<boolean> {
    const found = (await this.#deps.adapter.findSent?.(this.#at.conversation, sendKey, signal)) ?? null;
    if (found !== null) await this.#record(found);
    return found !== null;
  }

  /** Sends what was sent first once more: the platform takes it for the same message, and says which one that is. */
  #repeat(options: SendOptions): Promise<void> {
    const { adapter, delivery, store } = this.#deps;
    const { conversation, key } = this.#at;
    return delivery.exclusive(key, async () => {
      if (!this.#text.trim() || !(await this.#isOurs()) || (await store.outbox.head(key)) !== null) return;
      const [piece] = this.#render(this.#text);
      if (piece) await this.#record(await adapter.send(conversation, piece, options));
    });
  }

  async #record({ messageId }: Pick<SendReceipt, "messageId">): Promise<void> {
    this.#messageId = messageId;
    await this.#deps.store.outbox.saveDraft({ turnId: this.#turn.id, ...this.#at, messageId });
    this.#mayBeThere = false;
  }
}
