import { charactersOf, columnsOf, columnsOfCharacter, visibleText } from "./text-width.ts";

export type Style = (text: string) => string;

/** A piece of running text in one style. Its line breaks are hard ones. */
export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** Makes a span, and makes its text safe for a terminal. */
export function span(text: string, style: Style = plain): Span {
  return { text: visibleText(text), style };
}

export const plain: Style = (text) => text;

/** Wraps running text to styled lines of at most `width` columns. Never breaks an address, so that it can be opened. */
export function wrap(spans: readonly Span[], width: number): string[] {
  const lines: Line[] = [new Line()];
  let space: Span | null = null;
  for (const word of words(spans)) {
    let line = lines.at(-1) ?? new Line();
    if (word === "break") {
      lines.push(new Line());
      space = null;
      continue;
    }
    if (!Array.isArray(word)) {
      space = word;
      continue;
    }
    const columns = word.reduce((sum, piece) => sum + columnsOf(piece.text), 0);
    if (line.columns > 0 && line.columns + (space ? 1 : 0) + columns > width) {
      line = new Line();
      lines.push(line);
    } else if (space && line.columns > 0) {
      line.add({ text: " ", style: space.style }, 1);
    }
    space = null;
    const isAddress = /^\W*https?:\/\//.test(word.map((piece) => piece.text).join(""));
    if (columns <= width || isAddress) {
      for (const piece of word) line.add(piece, columnsOf(piece.text));
      continue;
    }
    for (const piece of pieces(word)) {
      const more = columnsOfCharacter(piece.text);
      if (line.columns > 0 && line.columns + more > width) {
        line = new Line();
        lines.push(line);
      }
      line.add(piece, more);
    }
  }
  return lines.map(String);
}

/** Pads a styled text of `columns` columns to `width` columns. */
export function pad(text: string, columns: number, width: number, align: "left" | "right" | "center"): string {
  const room = Math.max(0, width - columns);
  const left = align === "left" ? 0 : align === "right" ? room : Math.floor(room / 2);
  return " ".repeat(left) + text + " ".repeat(room - left);
}

/** Yields words, which may consist of several spans, and the spaces and line breaks between them. */
function* words(spans: readonly Span[]): Generator<Span[] | Span | "break"> {
  let word: Span[] = [];
  for (const { text, style } of spans) {
    for (const [token] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (/\S/.test(token)) {
        word.push({ text: token, style });
        continue;
      }
      if (word.length > 0) yield word;
      word = [];
      yield token === "\n" ? "break" : { text: token, style };
    }
  }
  if (word.length > 0) yield word;
}

function pieces(word: readonly Span[]): Span[] {
  return word.flatMap(({ text, style }) => charactersOf(text).map((character) => ({ text: character, style })));
}

/** A line under construction; adjacent spans of one style share their escape sequences. */
class Line {
  columns = 0;
  readonly #runs: { text: string; style: Style }[] = [];

  add({ text, style }: Span, columns: number): void {
    this.columns += columns;
    const last = this.#runs.at(-1);
    if (last?.style === style) last.text += text;
    else this.#runs.push({ text, style });
  }

  toString(): string {
    return this.#runs.map(({ text, style }) => style(text)).join("");
  }
}
