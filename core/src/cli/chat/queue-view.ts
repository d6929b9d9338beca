import { inject, Lifecycle, scoped } from "tsyringe";
import { clip } from "../../command/words.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import { OUTPUT } from "./tokens.ts";

/** A line that waits for its turn. */
export interface WaitingLine {
  readonly text: string;
  /** The store has it: it outlives the terminal. */
  readonly isKept: boolean;
  /** It goes to the answer that is being written, if that still asks the model on; else it waits like the others. */
  readonly isNow: boolean;
}

/** Shows above the input, as long as they wait, the lines that were typed while something runs. */
@scoped(Lifecycle.ContainerScoped)
export class QueueView implements Disposable {
  #waiting: readonly WaitingLine[] = [];
  #region: Disposable | null = null;

  constructor(@inject(OUTPUT) readonly output: Output) {}

  /** Shows what waits now, the next one first. */
  update(waiting: readonly WaitingLine[]): void {
    this.#waiting = waiting;
    if (waiting.length === 0) this[Symbol.dispose]();
    else if (this.#region !== null) this.output.foot.redraw();
    else this.#region = this.output.foot.place("queue", (width, room) => ({ rows: this.#rows(width, room) }));
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #rows(width: number, room: number): string[] {
    const { dim } = this.output.colors;
    const lines = this.#waiting;
    const shown = lines.length > room ? lines.slice(0, Math.max(0, room - 1)) : lines;
    const left = lines.length - shown.length;
    const texts = shown.map(({ text, isKept, isNow }) => {
      return `${!isKept ? "is being kept" : isNow ? "goes to the answer" : "waits its turn"}: ${text}`;
    });
    const rows = left > 0 && room > 0 ? [...texts, `${left} more ${left === 1 ? "waits" : "wait"}`] : texts;
    return rows.map((row) => dim(styled`· ${clip(row, width - 4)}`).ansi);
  }
}
