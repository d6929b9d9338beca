import { stripVTControlCharacters } from "node:util";
import { columnsOf } from "../markdown/text-width.ts";
import { cutRow } from "./cut-row.ts";
import type { Io } from "./io.ts";

/** The regions at the foot of the screen, from top to bottom. */
const REGIONS = ["answer", "status", "queue", "offer", "question", "input", "completion", "mode"] as const;
export type RegionName = (typeof REGIONS)[number];

/** The content of a region: each of `rows` is one row of the screen; a row that is too long is cut. */
export interface RegionRows {
  readonly rows: readonly string[];
  /** The position of the cursor. If no region has one, the cursor is at the start of the last row. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

/** Draws a region on a screen with `width` columns, in at most `room` rows. */
export type DrawRegion = (width: number, room: number) => RegionRows;

/** Rows of the screen that the foot leaves free, so that earlier output stays visible. */
const SPARED_ROWS = 3;

/** The most rows of a question above the input. */
const QUESTION_ROWS = 3;

/** Around a row, these keep it from wrapping, however wide the terminal thinks its characters are. */
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
/** Synchronized output: terminals that support it show everything between these at once; others ignore them. */
const AT_ONCE = "\x1b[?2026h";
const AT_ONCE_ENDS = "\x1b[?2026l";
const ERASE_BELOW = "\x1b[J";
const ERASE_LINE = "\x1b[K";
const LINE_START = "\x1b[G";

interface Drawn {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
  /** The width of the screen when it was drawn. */
  readonly width: number;
}

/**
 * The foot of the screen, which is redrawn while permanent lines are written above it. Nothing else moves the cursor. On
 * a terminal that is not drawn on (see `Io.draws`), regions show nothing.
 */
export class Foot {
  readonly #io: Io;
  readonly #regions = new Map<RegionName, DrawRegion>();
  #drawn: Drawn | null = null;
  /** Whether another program has the terminal: then nothing is drawn. */
  #isAway = false;
  /** Writes that wait until the terminal is back; null when writes are not held. */
  #held: (() => void)[] | null = null;
  #resizing: Disposable | null = null;
  /** Whether a redraw is scheduled after the lines that are being written above. */
  #isOwed = false;
  /** The prompt that waits for a line on a terminal that is not drawn on. */
  #standing: string | null = null;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Shows a region, replacing one with the same name, until it is disposed of. */
  place(name: RegionName, draw: DrawRegion): Disposable {
    if (!this.#io.draws) return { [Symbol.dispose]() {} };
    this.#regions.set(name, draw);
    this.#resizing ??= this.#io.onResize(() => this.redraw());
    this.redraw();
    return {
      [Symbol.dispose]: () => {
        if (this.#regions.get(name) !== draw) return;
        this.#regions.delete(name);
        this.redraw();
        if (this.#regions.size > 0) return;
        this.#resizing?.[Symbol.dispose]();
        this.#resizing = null;
      },
    };
  }

  /** Prompts for a line on a terminal that is not drawn on; repeats the prompt after other output, until disposed of. */
  stand(prompt: string): Disposable {
    this.#standing = prompt;
    this.#io.stdout.write(prompt);
    return {
      [Symbol.dispose]: () => {
        this.#standing = null;
      },
    };
  }

  /** Redraws what has changed. */
  redraw(): void {
    if (this.#isAway) return;
    const frame = this.#frame();
    if (frame !== "") this.#io.stdout.write(`${AT_ONCE}${frame}${AT_ONCE_ENDS}`);
  }

  /** Writes whole lines above the foot. */
  above(write: () => void): void {
    if (this.#held !== null) {
      this.#held.push(write);
      return;
    }
    if (this.#standing !== null) {
      this.#io.stdout.write("\n");
      write();
      this.#io.stdout.write(this.#standing);
      return;
    }
    if (this.#isAway || (this.#drawn === null && this.#regions.size === 0)) {
      write();
      return;
    }
    // More lines may follow in this event-loop turn: the foot is drawn once, below the last of them.
    if (!this.#isOwed) {
      this.#isOwed = true;
      this.#io.stdout.write(AT_ONCE);
      queueMicrotask(() => {
        this.#isOwed = false;
        this.#io.stdout.write(`${this.#isAway ? "" : this.#frame()}${AT_ONCE_ENDS}`);
      });
    }
    const erased = this.#erase();
    if (erased !== "") this.#io.stdout.write(erased);
    write();
  }

  /** Leaves the terminal to another program. With `holds`, writes are kept until `retake`. */
  leave({ holds }: { readonly holds: boolean }): void {
    const erased = this.#erase();
    if (erased !== "") this.#io.stdout.write(erased);
    this.#isAway = true;
    if (holds) this.#held ??= [];
  }

  /** Takes the terminal back, and draws the foot at the cursor. */
  retake(): void {
    this.#isAway = false;
    const held = this.#held ?? [];
    this.#held = null;
    this.above(() => {
      for (const write of held) write();
    });
  }

  /** Clears the screen except for the foot. */
  clearScreen(): void {
    this.#drawn = null;
    this.#io.stdout.write("\x1b[H\x1b[2J");
    this.redraw();
  }

  /** The output that brings the foot up to date with its regions. */
  #frame(): string {
    const width = this.#io.columns();
    const erased = this.#drawn !== null && this.#drawn.width !== width ? this.#erase() : "";
    const before = this.#drawn;
    const { rows, cursor } = compose(this.#regions, width, this.#io.rows());
    if (rows.length === 0) return `${erased}${this.#erase()}`;
    this.#drawn = { rows, cursor, width };

    const old = before?.rows ?? [];
    const pen = new Pen(before?.cursor.row ?? 0, old.length);
    let out = "";
    if (rows.length < old.length) out += `${pen.to(rows.length)}${ERASE_BELOW}`;
    for (const [at, row] of rows.entries()) if (row !== old[at]) out += `${pen.to(at)}${ERASE_LINE}${row}`;
    const isMoved = before?.cursor.row !== cursor.row || before.cursor.column !== cursor.column;
    if (out === "" && !isMoved) return erased;
    return `${erased}${WRAP_OFF}${out}${pen.to(cursor.row)}\x1b[${cursor.column + 1}G${WRAP_ON}`;
  }

  /** The output that erases the foot and moves the cursor to its start. */
  #erase(): string {
    if (this.#drawn === null) return "";
    const up = rowsAbove(this.#drawn, this.#io.columns(), reflowOf(this.#io.environment));
    this.#drawn = null;
    return `${up > 0 ? `\x1b[${up}A` : ""}${LINE_START}${ERASE_BELOW}`;
  }
}

/** Moves the cursor between rows of the foot, creating those that do not exist yet. */
class Pen {
  #row: number;
  #there: number;

  constructor(row: number, there: number) {
    this.#row = row;
    this.#there = Math.max(1, there);
  }

  to(row: number): string {
    const from = this.#row;
    this.#row = row;
    if (row <= from) return `${row < from ? `\x1b[${from - row}A` : ""}${LINE_START}`;
    const down = Math.min(row, this.#there - 1) - from;
    // A missing row is created by a line break, for which the screen may scroll.
    const made = Math.max(0, row - this.#there + 1);
    this.#there += made;
    return `${down > 0 ? `\x1b[${down}B` : ""}${"\r\n".repeat(made)}${LINE_START}`;
  }
}

/** Lays out all regions below each other. The input gets its room first, the answer what is left. */
function compose(regions: ReadonlyMap<RegionName, DrawRegion>, width: number, height: number): Omit<Drawn, "width"> {
  let room = Math.max(2, height - 1);
  const drawn = new Map<RegionName, RegionRows>();
  const draw = (name: RegionName, most: number) => {
    const region = regions.get(name)?.(width, Math.min(room, most));
    if (region === undefined) return;
    drawn.set(name, region);
    room -= region.rows.length;
  };
  draw("input", Math.max(1, Math.floor(room / 2)));
  draw("question", QUESTION_ROWS);
  draw("mode", 1);
  draw("offer", 1);
  draw("completion", room);
  draw("status", 1);
  draw("queue", Math.floor(room / 2));
  draw("answer", Math.max(1, room + 1 - SPARED_ROWS));

  const rows: string[] = [];
  let cursor: Drawn["cursor"] | null = null;
  for (const name of REGIONS) {
    const region = drawn.get(name);
    if (region?.cursor) cursor = { row: rows.length + region.cursor.row, column: region.cursor.column };
    rows.push(...(region?.rows ?? []).map((row) => cutRow(row, width)));
  }
  return { rows, cursor: cursor ?? { row: Math.max(0, rows.length - 1), column: 0 } };
}

/** Which rows a terminal rewraps when it gets narrower: all, all but the cursor's, or none. */
type Reflow = "all" | "others" | "none";

/** Guesses the reflow from the environment: terminals cannot be asked for it. */
function reflowOf({ TERM_PROGRAM, TERM = "", XTERM_VERSION }: NodeJS.ProcessEnv): Reflow {
  if (TERM_PROGRAM === "vscode") return "others";
  return XTERM_VERSION !== undefined || /^(linux|screen)/.test(TERM) ? "none" : "all";
}

/** The number of rows of the foot above the cursor, on a screen that may have become narrower since it was drawn. */
function rowsAbove({ rows, cursor, width: widthThen }: Drawn, width: number, reflow: Reflow): number {
  if (width >= widthThen || reflow === "none") return cursor.row;
  const above = rows.slice(0, cursor.row).reduce((sum, row) => {
    const columns = Math.min(widthThen, columnsOf(stripVTControlCharacters(row)));
    return sum + Math.max(1, Math.ceil(columns / width));
  }, 0);
  return above + (reflow === "all" ? Math.floor(cursor.column / width) : 0);
}
