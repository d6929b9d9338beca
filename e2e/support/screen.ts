import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import type { Terminal } from "@xterm/xterm";
import type { HermesProcess } from "./hermes-process.ts";

// Node finds no names in it when it is imported.
const xterm = createRequire(import.meta.url)("@xterm/xterm") as typeof import("@xterm/xterm");

export interface ScreenOptions {
  readonly cols?: number;
  readonly rows?: number;
  /** Whether the terminal breaks the row of its cursor anew, too, when it gets narrower. */
  readonly reflowCursorLine?: boolean;
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the program is started; the machine's folder unless said. */
  readonly folder?: string;
  /** The script that is started; the built `hermes` unless said. */
  readonly script?: string;
}

/** How long anything may take to be seen, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A terminal window and what can be seen in it: a real terminal emulator reads what the program writes. */
export class Screen {
  readonly window: HermesProcess;
  readonly #tty: string;
  readonly #terminal: Terminal;
  #looks: () => void = () => {};

  constructor(window: HermesProcess, tty: string, { cols = 70, rows = 16, reflowCursorLine = true }: ScreenOptions) {
    this.window = window;
    this.#tty = tty;
    this.#terminal = new xterm.Terminal({ cols, rows, reflowCursorLine, scrollback: 1_000, allowProposedApi: true });
    window.onOutput((text) => this.#terminal.write(text, () => this.#looks()));
  }

  press(keys: string): void {
    this.window.press(keys);
  }

  /** The rows of the screen, those at its end that are empty left out. */
  rows(): string[] {
    return this.#rowsFrom(this.#terminal.buffer.active.baseY);
  }

  /** All rows, those too that have scrolled away. */
  everything(): string[] {
    return this.#rowsFrom(0);
  }

  /** The colour, by its number in the terminal's palette, in which a row begins; null for the terminal's own. */
  colourOf(row: string): number | null {
    const { active } = this.#terminal.buffer;
    const at = this.everything().lastIndexOf(row);
    const cell = active.getLine(at)?.getCell(row.length - row.trimStart().length);
    return cell?.isFgPalette() ? cell.getFgColor() : null;
  }

  /** Where the cursor stands on the screen, from 0. */
  cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** As somebody does it who drags the window's edge: the program hears of it from the system. */
  resize(cols: number, rows = this.#terminal.rows): void {
    this.#terminal.resize(cols, rows);
    execFileSync("stty", ["-F", this.#tty, "cols", String(cols), "rows", String(rows)]);
  }

  /** Waits until what can be seen is as wanted; says what was seen instead. */
  async shows(wanted: string | RegExp | ((rows: string[]) => boolean)): Promise<void> {
    const isSeen = () => {
      const rows = this.rows();
      if (typeof wanted === "function") return wanted(rows);
      const text = rows.join("\n");
      return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
    };
    const deadline = Date.now() + PATIENCE_MS;
    while (!isSeen()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`Never seen: ${wanted}\nThe screen:\n${this.rows().join("\n")}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 500));
        this.#looks = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #rowsFrom(from: number): string[] {
    const { active } = this.#terminal.buffer;
    const rows: string[] = [];
    for (let at = from; at < active.length; at++)
      rows.push(active.getLine(at)?.translateToString(true).trimEnd() ?? "");
    while (rows.at(-1) === "") rows.pop();
    return rows;
  }
}
