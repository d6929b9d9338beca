import type { Clock } from "../base/clock.ts";
import { reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";

/** Milliseconds between two notes, and before the first: what is stored sooner is not noted. */
const NOTE_EVERY_MS = 350;

/** Milliseconds until it is tried again where nobody looks: somebody may come while nothing more is said. */
const TRY_AGAIN_MS = 1_000;

/** UTF-16 units up to which a text is noted at full pace; a longer one less often, as all of it is written each time. */
const AT_FULL_PACE = 4_000;

/**
 * Lets other processes that have a turn's session open read what grows in the turn before it is stored, in its latest
 * state.
 */
export class PacedNotes implements Disposable {
  readonly #parts: { readonly clock: Clock; readonly logger: Logger };
  readonly #note: (text: string) => Promise<boolean>;
  #text = "";
  #noted = "";
  #isUnseen = false;
  #timer: Disposable | null = null;
  #noting: Promise<void> | null = null;
  #isOver = false;

  /** `note` writes a text, and resolves to false where nobody looks. */
  constructor(parts: { readonly clock: Clock; readonly logger: Logger }, note: (text: string) => Promise<boolean>) {
    this.#parts = parts;
    this.#note = note;
  }

  /** Takes all that has grown since the last message that was stored. */
  say(text: string): void {
    this.#text = text;
    this.#later();
  }

  /** The text is about to be stored. Resolves once nothing of it can be noted any more. */
  async settle(): Promise<void> {
    this.#text = this.#noted = "";
    this.#isUnseen = false;
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
    this.#timer = this.#parts.clock.setTimer(this.#isUnseen ? Math.max(wait, TRY_AGAIN_MS) : wait, () => {
      this.#timer = null;
      this.#noting = this.#write().finally(() => {
        this.#noting = null;
        this.#later();
      });
    });
  }

  async #write(): Promise<void> {
    const text = this.#text;
    try {
      const isSeen = await this.#note(text);
      // Settled meanwhile: it counts no more.
      if (this.#text === "") return;
      this.#isUnseen = !isSeen;
      if (isSeen) this.#noted = text;
    } catch (error) {
      // Somebody sees less of it until it is stored: the turn goes on.
      this.#parts.logger.debug({ reason: reasonOf(error) }, "what grows in a turn could not be noted");
    }
  }
}
