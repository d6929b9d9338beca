import { charactersOf, columnsOf, visibleText } from "../../markdown/text-width.ts";

/** A row of the screen with its part of a text; offsets in UTF-16 units. */
export interface TextRow {
  readonly start: number;
  readonly end: number;
  /** As it is shown: safe, and of one line. */
  readonly shown: string;
}

/** Lines as they were laid out: a long message is drawn with each key, and most of its lines stay the same. */
export class LineMemory {
  readonly #rows = new Map<string, readonly TextRow[]>();
  #width = 0;

  /** The rows of one line, with offsets from its start. */
  rowsOf(line: string, width: number): readonly TextRow[] {
    if (width !== this.#width || this.#rows.size > MOST_REMEMBERED) this.#rows.clear();
    this.#width = width;
    const rows = this.#rows.get(line) ?? rowsOfLine(line, width);
    this.#rows.set(line, rows);
    return rows;
  }
}

const MOST_REMEMBERED = 5_000;

/** Breaks a text into rows of at most `width` columns: at its line breaks, and where a row is full. */
export function layOut(text: string, width: number, memory = new LineMemory()): TextRow[] {
  const rows: TextRow[] = [];
  let from = 0;
  for (const line of text.split("\n")) {
    for (const { start, end, shown } of memory.rowsOf(line, Math.max(2, width))) {
      rows.push({ start: from + start, end: from + end, shown });
    }
    from += line.length + 1;
  }
  return rows;
}

function rowsOfLine(line: string, width: number): TextRow[] {
  const rows: TextRow[] = [];
  let start = 0;
  let at = 0;
  let shown = "";
  let columns = 0;
  for (const character of charactersOf(line)) {
    const visible = visibleText(character);
    const takes = columnsOf(visible);
    if (columns + takes > width) {
      rows.push({ start, end: at, shown });
      start = at;
      shown = "";
      columns = 0;
    }
    at += character.length;
    shown += visible;
    columns += takes;
  }
  rows.push({ start, end: at, shown });
  return rows;
}

/** The cursor's row and column at `offset`; between two rows of a line, the start of the second. */
export function placeOf(rows: readonly TextRow[], text: string, offset: number): { row: number; column: number } {
  const row = Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= offset),
  );
  const start = rows[row]?.start ?? 0;
  return { row, column: columnsOf(visibleText(text.slice(start, offset))) };
}

/** The offset in a row that is nearest to a column. */
export function offsetAt(rows: readonly TextRow[], text: string, row: number, column: number): number {
  const { start, end } = rows[row] ?? { start: 0, end: 0 };
  let at = start;
  let columns = 0;
  const characters = charactersOf(text.slice(start, end));
  for (const [index, character] of characters.entries()) {
    const takes = columnsOf(visibleText(character));
    // Behind the last character of a full row stands the next row.
    const isBreak = index === characters.length - 1 && rows[row + 1]?.start === end;
    if (columns + takes > column || isBreak) return at;
    columns += takes;
    at += character.length;
  }
  return at;
}
