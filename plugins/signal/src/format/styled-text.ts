/** Signal's styles ("TextStyle"; there is also SPOILER, which Markdown has not). */
export type Style = "BOLD" | "ITALIC" | "STRIKETHROUGH" | "MONOSPACE";

/** A stretch of text in a style, in UTF-16 units. */
export interface StyledRange {
  readonly start: number;
  readonly length: number;
  readonly style: Style;
}

export interface StyledText {
  readonly text: string;
  readonly ranges: readonly StyledRange[];
}

/** Writes styled text from its beginning to its end. */
export class StyledWriter {
  #text = "";
  #margin = "";
  /** Known beside the text, which would have to be put together to look at its end. */
  #isLineStart = true;
  readonly #ranges: StyledRange[] = [];
  readonly #open = new Set<Style>();

  add(text: string): void {
    for (const [at, line] of text.split("\n").entries()) {
      if (at > 0) {
        this.#text += "\n";
        this.#isLineStart = true;
      }
      if (line === "") continue;
      this.#beginLine();
      this.#text += line;
      this.#isLineStart = false;
    }
  }

  /** What `write` adds is in a style. Styles may lie over one another, but one within itself says nothing. */
  within(style: Style, write: () => void): void {
    if (this.#open.has(style)) {
      write();
      return;
    }
    this.#beginLine();
    const start = this.#text.length;
    this.#open.add(style);
    write();
    this.#open.delete(style);
    const length = this.#text.length - start;
    if (length > 0) this.#ranges.push({ start, length, style });
  }

  /** Every line that `write` begins has this before it. */
  behind(margin: string, write: () => void): void {
    const before = this.#margin;
    this.#margin += margin;
    write();
    this.#margin = before;
  }

  finish(): StyledText {
    const text = this.#text.trimEnd();
    const ranges = this.#ranges
      .map((range) => ({ ...range, length: Math.min(range.length, text.length - range.start) }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.start - b.start || b.length - a.length);
    return { text, ranges };
  }

  #beginLine(): void {
    if (!this.#isLineStart || this.#margin === "") return;
    this.#text += this.#margin;
    this.#isLineStart = false;
  }
}
