import { stripVTControlCharacters } from "node:util";
import { columnsOf } from "../markdown/text-width.ts";
import type { Output } from "./output.ts";

/** Lines at the foot of the screen that grow and change, until what they show is written for good. */
export interface LiveLines extends Disposable {
  /** Takes the place of what is drawn. Of more lines than fit, the last are shown; a line that is too long is cut. */
  draw(lines: readonly string[]): void;
  /** Takes them away; the cursor stands where they began. */
  clear(): void;
}

/** Lines of the screen that are left alone: what went before stays in sight. */
const SPARED_ROWS = 3;

/** With these around it, a line takes one row and no more, however wide a terminal takes its characters to be. */
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
const ERASE_BELOW = "\x1b[J";

export function createLiveLines(output: Output): LiveLines {
  const { io } = output;
  let wanted: readonly string[] = [];
  /** What stands on the screen. */
  let drawn: readonly string[] = [];
  /** The screen's width when they were drawn. */
  let width = 0;
  let kept: Disposable | null = null;

  /** From the start of the last line, where the cursor is left, to the start of the one at `index`. */
  const backTo = (index: number) => {
    const rows = drawn.slice(index, -1).reduce((sum, line) => sum + rowsOf(line, width, io.columns()), 0);
    return rows > 0 ? `\x1b[${rows}A` : "";
  };
  const erase = () => {
    if (drawn.length > 0) io.stdout.write(`${backTo(0)}${ERASE_BELOW}`);
    drawn = [];
  };
  const redraw = () => {
    const lines = wanted;
    if (io.columns() !== width) erase();
    width = io.columns();
    const same = lines.findIndex((line, at) => line !== drawn[at]);
    const from = same < 0 ? lines.length : same;
    if (from < drawn.length) io.stdout.write(`${backTo(from)}${ERASE_BELOW}${body(lines, from)}`);
    else if (from < lines.length) io.stdout.write(`${from > 0 ? "\n" : ""}${body(lines, from)}`);
    drawn = lines;
  };
  const clear = () => {
    kept?.[Symbol.dispose]();
    kept = null;
    erase();
  };

  return {
    draw(lines) {
      if (lines.length === 0) return clear();
      wanted = lines.slice(-Math.max(1, io.rows() - SPARED_ROWS));
      kept ??= output.keepBelow({ hide: erase, show: redraw });
      redraw();
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

/** The lines from `from` on. The cursor ends at the start of the last: there a terminal that is resized keeps it. */
function body(lines: readonly string[], from: number): string {
  // Where lines were only taken away, the last that stays is gone back to.
  if (from === lines.length) return "\x1b[1A";
  return `${WRAP_OFF}${lines.slice(from).join("\n")}${WRAP_ON}\r`;
}

/** How many rows a line has that was drawn on a screen of another width: one that became too narrow breaks it. */
function rowsOf(line: string, widthThen: number, width: number): number {
  if (width >= widthThen) return 1;
  const columns = Math.min(widthThen, columnsOf(stripVTControlCharacters(line)));
  return Math.max(1, Math.ceil(columns / width));
}
