import type { Clock } from "../../base/clock.ts";
import type { Turn } from "../../model/turn.ts";
import { createTerminalStream, type TerminalStream } from "../../terminal/markdown-stream.ts";
import type { Output } from "../../terminal/output.ts";
import { createSpinner, type Spinner } from "../../terminal/spinner.ts";

/** The most rows of an answer that are kept while it grows: more than any screen shows of it. */
const KEPT_ROWS = 200;

/** What a turn says that another process runs. */
export interface GrowingElsewhere {
  readonly turn: Turn;
  /** Since its last stored message. */
  readonly text: string;
  /** What it does, for the status: `on pager, Ada: thinking`. */
  readonly doing: string;
}

/**
 * Shows, at the foot of the screen, an answer that another process writes. Nothing of it is written for good: it goes
 * when its message is stored, which is shown then, or when nobody writes it any more.
 */
export class LiveAnswer implements Disposable {
  readonly #output: Output;
  readonly #spinner: Spinner;
  #region: Disposable | null = null;
  #rendered: RenderedText;
  #isSpinning: string | null = null;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#spinner = createSpinner(output, clock);
    this.#rendered = new RenderedText(output);
  }

  /** Empties it without drawing, since lines are about to be written that take its place. */
  empty(): void {
    this.#rendered = new RenderedText(this.#output);
  }

  /** Shows what is said by now; null: nothing is. With `isQuiet` somebody else says what is waited for. */
  show(said: GrowingElsewhere | null, { isQuiet = false } = {}): void {
    if (said === null) {
      this[Symbol.dispose]();
      return;
    }
    const doing = isQuiet ? null : said.doing;
    if (doing !== this.#isSpinning) {
      this.#isSpinning = doing;
      if (doing === null) this.#spinner.stop();
      else this.#spinner.spin(doing);
    }
    this.#rendered.take(said.text);
    if (this.#region !== null) this.#output.foot.redraw();
    else if (said.text !== "") {
      this.#region = this.#output.foot.place("answer", (width, room) => ({ rows: this.#rendered.rows(width, room) }));
    }
  }

  [Symbol.dispose](): void {
    this.empty();
    this.#region?.[Symbol.dispose]();
    this.#region = null;
    if (this.#isSpinning !== null) this.#spinner.stop();
    this.#isSpinning = null;
  }
}

/** The end of a text that grows, as rows of the screen. */
class RenderedText {
  readonly #output: Output;
  #text = "";
  #width = 0;
  #rows: string[] = [];
  #stream: TerminalStream | null = null;

  constructor(output: Output) {
    this.#output = output;
  }

  take(text: string): void {
    const grown = text.startsWith(this.#text);
    if (grown) this.#stream?.push(text.slice(this.#text.length));
    else this.#stream = null;
    this.#text = text;
  }

  rows(width: number, room: number): string[] {
    if (this.#stream === null || width !== this.#width) this.#begin(width);
    return [...this.#rows, ...(this.#stream?.unfinished() ?? [])].slice(-room);
  }

  #begin(width: number): void {
    this.#width = width;
    this.#rows = [];
    this.#stream = createTerminalStream({
      ...{ width, color: this.#output.io.color },
      write: (lines) => {
        this.#rows = [...this.#rows, ...lines.replace(/\n$/, "").split("\n")].slice(-KEPT_ROWS);
      },
    });
    this.#stream.push(this.#text);
  }
}
