/** A stretch of text in a style, in UTF-16 units. */
export interface TextRange<Style> {
  readonly start: number;
  readonly length: number;
  readonly style: Style;
}

/** Text, and beside it what is formatted in it: by where it starts, and what holds others before them. */
export interface RangedText<Style> {
  readonly text: string;
  readonly ranges: readonly TextRange<Style>[];
}

/** Whether a style may stand within those that are open. */
export type Permits<Style> = (style: Style, open: readonly Style[]) => boolean;

/** Writes text with ranges from its beginning to its end. */
export class RangeWriter<Style> {
  readonly #permits: Permits<Style>;
  /** What was written, put together at the end: each look at a text that grows would cost its whole length. */
  readonly #written: string[] = [];
  #length = 0;
  #margin = "";
  #isLineStart = true;
  readonly #ranges: { readonly start: number; length: number; readonly style: Style }[] = [];
  readonly #open: Style[] = [];

  constructor(permits: Permits<Style> = () => true) {
    this.#permits = permits;
  }

  add(text: string): void {
    for (const [at, line] of text.split("\n").entries()) {
      if (at > 0) {
        this.#write("\n");
        this.#isLineStart = true;
      }
      if (line === "") continue;
      this.#beginLine();
      this.#write(line);
    }
  }

  /** What `write` adds is in a style, where that is permitted. */
  within(style: Style, write: (to: this) => void): void {
    if (!this.#permits(style, this.#open)) {
      write(this);
      return;
    }
    this.#beginLine();
    const range = { start: this.#length, length: 0, style };
    this.#ranges.push(range);
    this.#open.push(style);
    write(this);
    this.#open.pop();
    range.length = this.#length - range.start;
  }

  /** Every line that `write` begins has this before it, behind what lines have there already. */
  withMargin(margin: string, write: (to: this) => void): void {
    this.#withMargin(this.#margin + margin, write);
  }

  /** Lines begin at the very beginning, as those of code that is to be copied. */
  atMargin(write: (to: this) => void): void {
    this.#withMargin("", write);
  }

  finish(): RangedText<Style> {
    const text = this.#written.join("").trimEnd();
    const ranges = this.#ranges
      .map((range) => ({ ...range, length: Math.min(range.length, text.length - range.start) }))
      .filter(({ length }) => length > 0);
    return { text, ranges };
  }

  #withMargin(margin: string, write: (to: this) => void): void {
    const before = this.#margin;
    this.#margin = margin;
    write(this);
    this.#margin = before;
  }

  #beginLine(): void {
    if (this.#isLineStart && this.#margin !== "") this.#write(this.#margin);
  }

  #write(text: string): void {
    this.#written.push(text);
    this.#length += text.length;
    this.#isLineStart = false;
  }
}
