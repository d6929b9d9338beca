import type { Clock } from "../base/clock.ts";
import { reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds between two notes, and before the first: what is stored sooner is not noted. */
const NOTE_EVERY_MS = 350;

/** UTF-16 units up to which a text is noted at full pace; a longer one less often, as all of it is written each time. */
const AT_FULL_PACE = 4_000;

/** Lets other processes that have a turn's session open read what the turn says before it is stored. */
export class SpokenText implements Disposable {
  readonly #parts: { readonly store: Store; readonly clock: Clock; readonly logger: Logger };
  readonly #turn: Turn;
  #text = "";
  #noted = "";
  #timer: Disposable | null = null;
  #noting: Promise<void> | null = null;
  #isOver = false;

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly logger: Logger }, turn: Turn) {
    this.#parts = parts;
    this.#turn = turn;
  }

  /** Takes all that was said since the last message that was stored. */
  say(text: string): void {
    this.#text = text;
    this.#later();
  }

  /** The text is about to be stored. Resolves once nothing of it can be noted any more. */
  async settle(): Promise<void> {
    this.#text = this.#noted = "";
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    await this.#noting;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    void this.settle();
  }

  #later(): void {
    if (this.#timer !== null || this.#noting !== null || this.#isOver || this.#text === this.#noted) return;
    const wait = NOTE_EVERY_MS * Math.max(1, this.#text.length / AT_FULL_PACE);
    this.#timer = this.#parts.clock.setTimer(wait, () => {
      this.#timer = null;
      this.#noting = this.#note().finally(() => {
        this.#noting = null;
        this.#later();
      });
    });
  }

  async #note(): Promise<void> {
    const { store, logger } = this.#parts;
    const { id, fence } = this.#turn;
    const text = this.#text;
    try {
      // Where nobody looks yet, it is tried again: somebody may come while nothing more is said.
      if ((await store.turns.noteText(id, fence, text)) && this.#text.startsWith(text)) this.#noted = text;
    } catch (error) {
      // Somebody sees less of it until it is stored: the turn goes on.
      logger.debug({ turn: id, reason: reasonOf(error) }, "what a turn says could not be noted");
    }
  }
}
