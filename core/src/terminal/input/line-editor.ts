import { columnsOf, visibleText } from "../../markdown/text-width.ts";
import type { RegionRows } from "../foot.ts";
import type { Styled, Styles } from "../styled.ts";
import { Completion } from "./completion.ts";
import { EditBuffer } from "./edit-buffer.ts";
import { HistorySearch } from "./history-search.ts";
import type { Key } from "./keys.ts";
import { LineMemory, layOut, offsetAt, placeOf, type TextRow } from "./layout.ts";
import type { Recall } from "./recall.ts";

/**
 * What a key asks of whoever has the terminal. `end` is Ctrl-D in an empty input, `compose` an editor of the person's,
 * `escape` Esc where it closes nothing,
 * `back-tab` Shift-Tab, `unfold` Ctrl-O, and `go-on` Ctrl-G, where nothing is offered to complete the line.
 */
export type Outcome =
  | { readonly type: "submit"; readonly text: string }
  | {
      readonly type:
        | "interrupt"
        | "end"
        | "suspend"
        | "compose"
        | "clear-screen"
        | "back-tab"
        | "unfold"
        | "go-on"
        | "escape";
    };

export interface LineEditorOptions {
  readonly prompt: Styled;
  readonly styles: Styles;
  /** Null: nothing that was typed before is found again. */
  readonly recall: Recall | null;
  /** Whether the input is a secret: shown as dots, and removed from the screen afterwards. */
  readonly isUnseen?: boolean;
  /** Up in an empty input: takes back what waits to be sent. False where nothing does. */
  takeBack?(): boolean;
  /** The completions, each a whole line. */
  complete(line: string): Promise<readonly string[]>;
  /** It looks different, without a key. */
  onChange(): void;
}

/** Keys that only change the text, or move in it. */
const EDITS: Readonly<Record<string, (buffer: EditBuffer) => void>> = {
  left: (buffer) => buffer.left(),
  "C-b": (buffer) => buffer.left(),
  right: (buffer) => buffer.right(),
  "C-f": (buffer) => buffer.right(),
  "C-left": (buffer) => buffer.wordLeft(),
  "M-left": (buffer) => buffer.wordLeft(),
  "M-b": (buffer) => buffer.wordLeft(),
  "C-right": (buffer) => buffer.wordRight(),
  "M-right": (buffer) => buffer.wordRight(),
  "M-f": (buffer) => buffer.wordRight(),
  home: (buffer) => buffer.lineStart(),
  "C-a": (buffer) => buffer.lineStart(),
  end: (buffer) => buffer.lineEnd(),
  "C-e": (buffer) => buffer.lineEnd(),
  backspace: (buffer) => buffer.backspace(),
  "S-backspace": (buffer) => buffer.backspace(),
  delete: (buffer) => buffer.delete(),
  "C-w": (buffer) => buffer.cutWordLeft(),
  "M-backspace": (buffer) => buffer.cutWordLeft(),
  "M-d": (buffer) => buffer.cutWordRight(),
  "C-u": (buffer) => buffer.cutToLineStart(),
  "C-k": (buffer) => buffer.cutToLineEnd(),
  "C-y": (buffer) => buffer.putBack(),
  "C-_": (buffer) => buffer.undo(),
  "C-x C-u": (buffer) => buffer.undo(),
  "M-_": (buffer) => buffer.redo(),
  "C-j": (buffer) => buffer.insert("\n"),
  "M-enter": (buffer) => buffer.insert("\n"),
  "S-enter": (buffer) => buffer.insert("\n"),
  "C-enter": (buffer) => buffer.insert("\n"),
};

const OUTCOMES: Readonly<Record<string, Exclude<Outcome["type"], "submit">>> = {
  ...{ "C-c": "interrupt", "C-z": "suspend", "C-l": "clear-screen", "C-x C-e": "compose", "C-o": "unfold" },
};

/** A prompt that is longer stands in the text's rows; text below a shorter one begins where that of the first row does. */
const LONGEST_INDENT = 4;

const DOT = "•";
/** What stays on the screen of a secret says nothing of its length. */
const DOTS = DOT.repeat(8);

/** A message being written: applies keys to it, and lays it out. Touches no terminal. */
export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #buffer = new EditBuffer();
  readonly #completion: Completion;
  readonly #memory = new LineMemory();
  #search: HistorySearch | null = null;
  /** The first of two keys that belong together. */
  #prefix = "";
  #width = 80;

  constructor(options: LineEditorOptions) {
    this.#options = options;
    this.#completion = new Completion(this.#buffer, options);
  }

  get text(): string {
    return this.#buffer.text;
  }

  /** Replaces the text; this can be undone. */
  replace(text: string): void {
    this.#completion.close();
    this.#buffer.replace(text);
  }

  handle(key: Key): Outcome | null {
    if (this.#search !== null) {
      const end = this.#search.handle(key);
      if (end === "goes-on") return null;
      const found = this.#search.found;
      this.#search = null;
      if (end === "cancelled") return null;
      if (found !== null) this.#buffer.replace(found);
      if (end === "accepted") return null;
    }
    if (key.type === "chord") return this.#chord(key.chord);
    this.#prefix = "";
    this.#completion.close();
    if (key.type === "paste") this.#buffer.insert(key.text, "paste");
    // What was typed fast comes at once; it is undone a word at a time all the same.
    else for (const [word] of key.text.matchAll(/\S*\s*/g)) if (word !== "") this.#buffer.insert(word);
    return null;
  }

  #chord(pressed: string): Outcome | null {
    const chord = this.#prefix + pressed;
    this.#prefix = chord === "C-x" ? "C-x " : "";
    if (chord === "S-tab" && !this.#completion.isOpen) return { type: "back-tab" };
    if (chord === "tab" || chord === "S-tab") {
      this.#completion.next(chord === "tab" ? 1 : -1);
      return null;
    }
    const wasOpen = this.#completion.close();
    if (chord === "C-g" && !wasOpen) return { type: "go-on" };
    if (chord === "escape" && !wasOpen) return { type: "escape" };
    if (chord === "escape" || chord === "C-g" || (chord === "C-c" && wasOpen)) return null;
    if (chord === "enter") return this.#submit();
    if (chord === "C-d") {
      if (this.text === "") return { type: "end" };
      this.#buffer.delete();
      return null;
    }
    if (chord === "up" && this.text === "" && this.#options.takeBack?.()) return null;
    if (chord === "up" || chord === "C-p") this.#vertical(-1);
    if (chord === "down" || chord === "C-n") this.#vertical(1);
    if (chord === "C-r" && this.#options.recall) this.#search = new HistorySearch(this.#options.recall);
    EDITS[chord]?.(this.#buffer);
    const outcome = OUTCOMES[chord];
    // An editor of the person's would leave a secret in a file.
    if (outcome === "compose" && this.#options.isUnseen) return null;
    return outcome === undefined ? null : { type: outcome };
  }

  #submit(): Outcome {
    const { text } = this.#buffer;
    this.#buffer.reset();
    return { type: "submit", text: text.includes("\n") ? text.trimEnd() : text };
  }

  /** To the row above or below; from the first and the last, through what was typed before. */
  #vertical(by: -1 | 1): void {
    const { text, cursor } = this.#buffer;
    const rows = layOut(text, this.#width - this.#indent - 1, this.#memory);
    const { row, column } = placeOf(rows, text, cursor);
    if (rows[row + by] !== undefined) {
      this.#buffer.moveTo(offsetAt(rows, text, row + by, column));
      return;
    }
    const { recall } = this.#options;
    const found = by < 0 ? recall?.older(text) : recall?.newer();
    if (typeof found === "string") this.#buffer.replace(found);
  }

  get #indent(): number {
    return columnsOf(String(this.#options.prompt));
  }

  /** Shows the prompt, and behind it the text; of more rows than fit, those at the cursor. */
  draw(width: number, room: number): RegionRows {
    this.#width = width;
    const { prompt } = this.#options;
    const written = this.#search?.found ?? this.#buffer.text;
    const text = this.#options.isUnseen ? DOT.repeat(written.length) : written;
    const cursor = this.#search ? text.length : this.#buffer.cursor;
    const indent = this.#indent;
    // A column is left free, in which the cursor stands behind a full row.
    const { all, at } =
      indent <= LONGEST_INDENT
        ? rowsBelow(prompt.ansi, layOut(text, width - indent - 1, this.#memory), indent, text, cursor)
        : rowsWith(String(prompt), text, cursor, width - 1);
    const first = Math.max(0, Math.min(at.row - room + 1, all.length - room));
    return { rows: all.slice(first, first + room), cursor: { row: at.row - first, column: at.column } };
  }

  /** Shows what the line may become, or what is searched for. */
  drawBelow(_width: number, room: number): RegionRows {
    const { dim } = this.#options.styles;
    if (this.#search === null) return { rows: this.#completion.rows(room) };
    return { rows: this.#search.rows().map((row) => dim(row).ansi) };
  }

  /** The prompt with a text, as it stays on the screen when it was sent. */
  sent(text: string): string {
    const { prompt } = this.#options;
    const indent = this.#indent <= LONGEST_INDENT ? " ".repeat(this.#indent) : "";
    const shown = this.#options.isUnseen && text !== "" ? DOTS : visibleText(text);
    return `${prompt.ansi}${shown.replaceAll("\n", `\n${indent}`)}`;
  }
}

interface LaidOut {
  readonly all: readonly string[];
  readonly at: { readonly row: number; readonly column: number };
}

function rowsBelow(prompt: string, rows: readonly TextRow[], indent: number, text: string, cursor: number): LaidOut {
  const { row, column } = placeOf(rows, text, cursor);
  const all = rows.map(({ shown }, index) => `${index === 0 ? prompt : " ".repeat(indent)}${shown}`);
  return { all, at: { row, column: column + indent } };
}

function rowsWith(prompt: string, text: string, cursor: number, width: number): LaidOut {
  const whole = prompt + text;
  const rows = layOut(whole, width);
  return { all: rows.map(({ shown }) => shown), at: placeOf(rows, whole, prompt.length + cursor) };
}
