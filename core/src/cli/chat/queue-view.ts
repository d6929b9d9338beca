import { clip } from "../../command/words.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { WaitingLine } from "./typed-ahead.ts";

/** Shows above the input, as long as they wait, the lines that were typed while something runs. */
export class QueueView implements Disposable {
  readonly #output: Output;
  readonly #waiting: () => readonly WaitingLine[];
  #region: Disposable | null = null;

  constructor(output: Output, waiting: () => readonly WaitingLine[]) {
    this.#output = output;
    this.#waiting = waiting;
  }

  /** To be called when the lines have changed. */
  update(): void {
    if (this.#waiting().length === 0) this[Symbol.dispose]();
    else if (this.#region !== null) this.#output.foot.redraw();
    else this.#region = this.#output.foot.place("queue", (width, room) => ({ rows: this.#rows(width, room) }));
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #rows(width: number, room: number): string[] {
    const { dim } = this.#output.colors;
    const lines = this.#waiting();
    const shown = lines.length > room ? lines.slice(0, Math.max(0, room - 1)) : lines;
    const left = lines.length - shown.length;
    const texts = shown.map(({ text, isKept, isNow }) => {
      return `${!isKept ? "is being kept" : isNow ? "goes to the answer" : "waits its turn"}: ${text}`;
    });
    const rows = left > 0 && room > 0 ? [...texts, `${left} more ${left === 1 ? "waits" : "wait"}`] : texts;
    return rows.map((row) => dim(styled`· ${clip(row, width - 4)}`).ansi);
  }
}
