import { stripVTControlCharacters } from "node:util";
import { withNumbers } from "../../base/hidden-text.ts";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { withReadableMarks } from "../../model/mark.ts";
import { isNotRun, type ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";

/** The most rows of a running tool's output that are shown, and the most lines of a result. */
const LIVE_ROWS = 4;
const RESULT_LINES = 3;

/** How much of a running tool's output is kept for showing its end, in UTF-16 units. */
const KEPT = 4_000;

/** The first line about a call: its tool and what it does. */
export function callLine({ name, input }: ToolCall, summary: string, width: number): string {
  return `· ${name} ${clip(summary === "" ? JSON.stringify(input ?? {}) : withNumbers(summary), Math.max(80, width - 20))}`;
}

/** The line about a call without a result. Why a person's no kept it from running was said where it was asked. */
export function failureLine(name: string, text: string): string {
  return isNotRun(text) ? `· ${name} was not run` : `· ${name} failed: ${clip(withReadableMarks(text), 200)}`;
}

/** The first lines of a result, and how many more there are. */
export function resultLines(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, RESULT_LINES).map((line) => `  ${clip(line, 160)}`);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `  … ${count(left, "more line")}`] : shown;
}

/** Shows the end of what a tool puts out while it runs; it goes when the tool has ended. */
export class LiveOutput implements Disposable {
  readonly #output: Output;
  #text = "";
  #region: Disposable | null = null;

  constructor(output: Output) {
    this.#output = output;
  }

  add(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT);
    if (this.#region !== null) this.#output.foot.redraw();
    else this.#region = this.#output.foot.place("answer", (width, room) => ({ rows: this.#rows(width, room) }));
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
    this.#region = null;
    this.#text = "";
  }

  #rows(width: number, room: number): string[] {
    const lines = stripVTControlCharacters(this.#text)
      .trimEnd()
      .split(/\r?\n|\r/);
    const last = lines.filter((line) => line.trim() !== "").slice(-Math.min(LIVE_ROWS, room));
    return last.map((line) => this.#output.colors.dim(`  ${clip(line, width - 3)}`).ansi);
  }
}
