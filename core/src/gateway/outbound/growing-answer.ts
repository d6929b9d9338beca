import type { Conversation } from "../../adapter/conversation.ts";
import type { Piece, SendReceipt } from "../../adapter/message.ts";
import { renderMessage } from "../../adapter/render-message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { PlatformError, reasonOf } from "../../base/errors.ts";
import type { Turn } from "../../model/turn.ts";
import { draftKey, shownMark } from "./find-draft.ts";
import { wasRefused } from "./send-outcome.ts";
import type { TurnPresenter } from "./turn-presenter.ts";

/** Milliseconds before streaming starts: a turn that ends earlier is sent once, without a typing indicator. */
export const FIRST_SHOWN_MS = 300;

/** UTF-16 units up to which an answer is edited as often as the platform permits; a longer one less often. */
const AT_FULL_PACE = 4_000;

/** UTF-16 units of the longest answer that is streamed. */
const MOST_SHOWN = 12_000;

/** Milliseconds before the end of a platform's time for edits at which an answer stops growing: the call takes a while. */
const BEFORE_LAST_EDIT_MS = 5_000;

/** Shared abort reason: without one, each abort creates an error with a stack trace. */
export const OVER = new Error("nothing more is shown of this turn");

/**
 * Streams an answer by editing one message, the draft. The stored answer is delivered as the last edit of the draft, or
 * as a new message if no draft could be sent.
 */
export class GrowingAnswer {
  readonly #presenter: TurnPresenter;
  readonly #at: { readonly key: SessionKey; readonly conversation: Conversation };
  readonly #turn: Turn;
  readonly #minIntervalMs: number;
  readonly #stopped = new AbortController();
  #text = "";
  #shown = "";
  /** Whether the text shown last was one message and complete. */
  #isShownWhole = false;
  /** The whole text that a call showed, or did not: the platform's word on it was lost. */
  #unanswered: string | null = null;
  /** What the message is said to show as an earlier process left it, while this one has not asked for an edit. */
  #shownBefore: string | null = null;
  /** What the store has of the text that is shown whole; see {@link Draft.shown}. */
  #recorded: string | null = null;
  #messageId: string | null = null;
  /** When the message can be edited no more, on the steady clock. */
  #editableUntil = Number.POSITIVE_INFINITY;
  /** That of the lease in which the draft was begun, which may have been an earlier one. */
  #sendKey: string;
  /** True if saving the draft's message id failed with STORE_BUSY. */
  #isUnrecorded = false;
  #timer: Disposable | null = null;
  #flushing: Promise<void> | null = null;
  #recording: Promise<void> | null = null;
  /** The earliest time of the next edit, by the edit interval or the platform's rate limit, on the steady clock. */
  #nextAt: number;

  constructor(presenter: TurnPresenter, at: { key: SessionKey; conversation: Conversation }, turn: Turn) {
    this.#presenter = presenter;
    this.#at = at;
    this.#turn = turn;
    this.#sendKey = draftKey(turn);
    const { edits } = presenter.adapter.capabilities;
    this.#minIntervalMs = edits === false ? Number.POSITIVE_INFINITY : edits.minIntervalMs;
    if (edits === false) this.#stopped.abort(OVER);
    this.#nextAt = presenter.clock.steady().ms + Math.min(this.#minIntervalMs, FIRST_SHOWN_MS);
  }

  push(delta: string): void {
    this.#text += delta;
    this.#later();
  }

  /** What was said until now was not the answer: tools run, and the next text takes its place. */
  restart(): void {
    this.#text = "";
  }

  /** Shows nothing more; resolves when it is recorded which message was shown last, and whether it says all there was. */
  async close(): Promise<void> {
    this.#stopped.abort(OVER);
    this.#timer?.[Symbol.dispose]();
    await this.#flushing;
    this.#recording ??= this.#recordAtLast();
    await this.#recording;
  }

  #later(): void {
    if (this.#timer || this.#flushing || this.#stopped.signal.aborted) return;
    const { clock } = this.#presenter;
    const wait = Math.max(0, this.#nextAt - clock.steady().ms);
    this.#timer = clock.setTimer(wait, () => {
      this.#timer = null;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        // All of it is formatted each time: the longer it is, the more is waited for, so that the work stays in proportion.
        const pace = this.#minIntervalMs * Math.max(1, this.#shown.length / AT_FULL_PACE);
        this.#nextAt = Math.max(this.#nextAt, clock.steady().ms + pace);
        if (this.#text !== this.#shown) this.#later();
      });
    });
  }

  #flush(): Promise<void> {
    const { delivery, store, logger } = this.#presenter;
    return delivery.exclusive(this.#at.key, async () => {
      try {
        const text = this.#text;
        if (this.#stopped.signal.aborted || !text.trim() || text === this.#shown) return;
        if (this.#presenter.clock.steady().ms >= this.#editableUntil) return this.#stopped.abort(OVER);
        if (!(await this.#mayShow())) return this.#stopped.abort(OVER);
        // Earlier rows are sent first.
        if ((await store.outbox.head(this.#at.key)) !== null) return;
        const [piece, ...more] = this.#render(text);
        const isWhole = piece !== undefined && more.length === 0 && text.length <= MOST_SHOWN;
        const onShown = () => {
          this.#shown = text;
          this.#isShownWhole = isWhole;
          this.#unanswered = null;
        };
        if (piece) await this.#show(piece, isWhole ? text : null, onShown);
        else onShown();
        // One message has grown as far as it can.
        if (more.length > 0 || text.length > MOST_SHOWN) this.#stopped.abort(OVER);
      } catch (error) {
        if (wasRefused(error, this.#messageId !== null)) this.#unanswered = null;
        const waitMs = error instanceof PlatformError ? error.retryAfterMs : null;
        if (waitMs === null) {
          this.#stopped.abort(OVER);
        } else {
          this.#nextAt = this.#presenter.clock.steady().ms + waitMs;
          // The whole answer, which goes out elsewhere, has to wait as well.
          delivery.rest(this.#at.key, waitMs);
        }
        logger.debug({ turn: this.#turn.id, reason: reasonOf(error) }, "a growing answer could not be shown");
      }
    });
  }

  /** The first section alone: later ones are not in the growing message. */
  #render(text: string): readonly Piece[] {
    const [pieces = []] = renderMessage(this.#presenter.adapter, {
      kind: "answer",
      markdown: text.slice(0, MOST_SHOWN),
    });
    return pieces;
  }

  /** A process that slept may have lost its turn: the answer that is shown by now is another's. */
  async #isOurs(): Promise<boolean> {
    const current = await this.#presenter.store.turns.get(this.#turn.id);
    return current?.state === "running" && current.fence === this.#turn.fence;
  }

  /** It is shown only to whoever may read it. */
  async #mayShow(): Promise<boolean> {
    if (!(await this.#isOurs())) return false;
    return (await this.#presenter.delivery.readers.mayRead({ ...this.#at, sessionId: this.#turn.sessionId })) === true;
  }

  /**
   * `whole`: the text, if the piece is all of it. `onShown` is called when the platform has taken it, before it is recorded:
   * the store may be busy.
   */
  async #show(piece: Piece, whole: string | null, onShown: () => void): Promise<void> {
    const { adapter, clock, store } = this.#presenter;
    const { conversation, key } = this.#at;
    const turnId = this.#turn.id;
    const options = { key: this.#sendKey, sessionId: this.#turn.sessionId, turnId, signal: this.#stopped.signal };
    const edit = async (messageId: string) => {
      // What is not asked of the platform is not shown, and cannot have been.
      if (adapter.edit === undefined || this.#stopped.signal.aborted) return this.#stopped.abort(OVER);
      this.#shownBefore = null;
      this.#unanswered = whole;
      await adapter.edit(conversation, messageId, piece, options);
      onShown();
    };
    if (this.#messageId !== null) return edit(this.#messageId);
    const draft = await store.outbox.draftOf(turnId);
    const known = draft?.key === key ? draft : null;
    this.#sendKey = options.key = known?.sendKey ?? this.#sendKey;
    if (known?.messageId) {
      // The turn runs again after a crash, and what it had shown then is there.
      this.#messageId = known.messageId;
      this.#shownBefore = known.shown ?? null;
      // From this edit on it shows something else, whatever comes of the edit.
      if (known.shown !== null) await this.#save(null);
      return edit(known.messageId);
    }
    if (known && !(await this.#mayRepeat(options.key))) {
      this.#stopped.abort(OVER);
      return;
    }
    await this.#save(whole === null ? null : shownMark(whole, false));
    // One that slept while it was recorded would show what another process shows by now.
    if (!(await this.#mayShow())) return this.#stopped.abort(OVER);
    const askedAt = clock.steady().ms;
    this.#unanswered = whole;
    // Not to be cut off: a message that was sent and not recorded could not be edited any more.
    const receipt = await adapter.send(conversation, piece, { ...options, signal: new AbortController().signal });
    // A send that is repeated gives the message of the first one, which may say less: the next edit completes it.
    if (known === null) onShown();
    const { edits } = adapter.capabilities;
    const forMs = edits === false ? undefined : edits.forMs;
    if (forMs !== undefined) this.#editableUntil = askedAt + forMs - BEFORE_LAST_EDIT_MS;
    await this.#record(receipt);
  }

  /**
   * Whether a first send, whose outcome another process left open, may be made again. One that cannot be found may come
   * yet, where that process was only stopped: then the answer is shown when it is whole.
   */
  async #mayRepeat(sendKey: string): Promise<boolean> {
    const { adapter } = this.#presenter;
    if (adapter.capabilities.idempotentSend) return true;
    await this.#findShown(sendKey, this.#stopped.signal);
    return false;
  }

  /** What was sent first, and whose id is not stored, is looked for when the answer is delivered, unless it is known. */
  async #recordAtLast(): Promise<void> {
    const isWhole = this.#isShownWhole && this.#text === this.#shown;
    const text = isWhole ? this.#shown : this.#unanswered;
    const shown = text === null ? this.#shownBefore : shownMark(text, isWhole);
    if (shown === this.#recorded && !this.#isUnrecorded) return;
    try {
      // One that lost its turn would overwrite what another process has recorded.
      if (!(await this.#isOurs())) return;
      await this.#save(shown);
    } catch (error) {
      this.#presenter.logger.debug({ turn: this.#turn.id, error }, "which message an answer grew in could not be kept");
    }
  }

  /** Looks for the message that was sent first, and records it where it is there. */
  async #findShown(sendKey: string, signal: AbortSignal): Promise<void> {
    const found = await this.#presenter.adapter.findSent?.(this.#at.conversation, sendKey, signal);
    if (found) await this.#record(found);
  }

  async #record({ messageId }: Pick<SendReceipt, "messageId">): Promise<void> {
    this.#messageId = messageId;
    this.#isUnrecorded = true;
    await this.#save(null);
  }

  async #save(shown: string | null): Promise<void> {
    const draft = { sendKey: this.#sendKey, turnId: this.#turn.id, ...this.#at, messageId: this.#messageId, shown };
    await this.#presenter.store.outbox.saveDraft(draft);
    this.#isUnrecorded = false;
    this.#recorded = shown;
  }
}
