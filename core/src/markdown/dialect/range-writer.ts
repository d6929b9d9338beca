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

/** What a platform does not take of ranges; by default, it takes all. */
export interface RangeRules<Style> {
  /** Whether a style may be nested in the open ones. Where it may not, the text goes without it. */
  permits?(style: Style, open: readonly Style[]): boolean;
  /** Whether `outer` cannot hold `inner`, such as code. It ends there, and goes on behind it. */
  interrupts?(inner: Style, outer: Style): boolean;
  /** Whether a range of the style begins and ends at a word: some platforms leave out spaces at its ends. */
  isTrimmed?(style: Style): boolean;
}

/** A range as it is written: of a style that another one interrupts, a part. */
interface Part<Style> {
  readonly start: number;
  length: number;
  readonly style: Style;
  readonly isFirst: boolean;
  isLast: boolean;
}

/** A style that is open; without a part while another one interrupts it. */
interface OpenStyle<Style> {
  readonly style: Style;
  part: Part<Style> | null;
}

/** Writes text with ranges, from beginning to end. */
export class RangeWriter<Style> {
  readonly #rules: RangeRules<Style>;
  /** The pieces of the text, joined at the end: joining them each time would take quadratic time. */
  readonly #written: string[] = [];
  #length = 0;
  #margin = "";
  #isLineStart = true;
  readonly #parts: Part<Style>[] = [];
  readonly #open: OpenStyle<Style>[] = [];

  constructor(rules: RangeRules<Style> = {}) {
    this.#rules = rules;
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
    const { permits, interrupts } = this.#rules;
    if (
      permits &&
      !permits(
        style,
        this.#open.map((outer) => outer.style),
      )
    ) {
      write(this);
      return;
    }
    this.#beginLine();
    const interrupted = this.#open.filter((outer) => outer.part !== null && interrupts?.(style, outer.style));
    for (const outer of interrupted) this.#endPart(outer, false);
    const own: OpenStyle<Style> = { style, part: this.#beginPart(style, true) };
    this.#open.push(own);
    write(this);
    this.#open.pop();
    this.#endPart(own, true);
    for (const outer of interrupted) outer.part = this.#beginPart(outer.style, false);
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
    const ranges = this.#parts
      .map((part) => this.#toRange(part, text))
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.start - b.start || b.length - a.length);
    return { text, ranges };
  }

  #toRange({ start, length, style, isFirst, isLast }: Part<Style>, text: string): TextRange<Style> {
    const end = Math.min(start + length, text.length);
    if (!this.#rules.isTrimmed?.(style)) return { start, length: end - start, style };
    const written = text.slice(start, end);
    const from = isFirst ? end - written.trimStart().length : start;
    const to = isLast ? start + written.trimEnd().length : end;
    return { start: from, length: to - from, style };
  }

  #beginPart(style: Style, isFirst: boolean): Part<Style> {
    const part = { start: this.#length, length: 0, style, isFirst, isLast: false };
    this.#parts.push(part);
    return part;
  }

  #endPart(open: OpenStyle<Style>, isLast: boolean): void {
    if (open.part === null) return;
    open.part.length = this.#length - open.part.start;
    open.part.isLast = isLast;
    open.part = null;
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
