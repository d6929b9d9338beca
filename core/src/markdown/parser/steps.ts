/** Thrown where reading goes on for longer than the text is worth. */
export class TooManySteps extends Error {}

/** What a text may come to beyond its own length when it is shown, in UTF-16 units, however short it is. */
const FREE_GROWTH = 2_000;

/**
 * Counts the work on one text, and ends it at a limit: the same text takes the same steps on every machine. One step is
 * about what a renderer takes for a character.
 */
export class Steps {
  readonly #limit: number;
  #taken = 0;
  #growth: number;

  constructor(limit: number, length: number) {
    this.#limit = limit;
    this.#growth = FREE_GROWTH + length;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts `steps` more; throws TooManySteps beyond the limit. */
  take(steps: number): void {
    this.#taken += steps;
    if (this.#taken > this.#limit) throw new TooManySteps();
  }

  /**
   * Counts characters that are shown although nobody wrote them there. A text that is shown far longer than it is would
   * take ever more of them: twice the text, four times as many.
   */
  grow(characters: number): void {
    this.#growth -= characters;
    if (this.#growth < 0) throw new TooManySteps();
    this.take(characters);
  }
}
