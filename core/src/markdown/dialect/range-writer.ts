/** A range of text with a style, in UTF-16 units. */
export interface TextRange<Style> {
  readonly start: number;
  readonly length: number;
  readonly style: Style;
}

/** Text with ranges beside it, ordered by their start, outer ranges first. */
export interface RangedText<Style> {
  readonly text: string;
  readonly ranges: readonly TextRange<Style>[];
}

/** Whether a style may be nested in the open ones. */
export type Permits<Style> = (style: Style, open: readonly Style[]) => boolean;

/** Writes text with ranges, from beginning to end. */
export class RangeWriter<Style> {
  readonly #permits: Permits<Style>;
  /** The pieces of the text, joined at the end: joining them each time would take quadratic time. */
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

  /** Applies a style, if it is permitted, to what `write` adds. */
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

  /** Adds `margin`, after the current margin, to each line that `write` begins. */
  withMargin(margin: string, write: (to: this) => void): void {
    this.#withMargin(this.#margin + margin, write);
  }

  /** Begins lines without any margin, as for code that people copy. */
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
