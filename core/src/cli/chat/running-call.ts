import type { Clock } from "../../base/clock.ts";
import { durationText } from "../../base/duration.ts";
import { columnsOf } from "../../markdown/text-width.ts";
import { callSummary, lastLines } from "../../model/call-outcome.ts";
import type { ToolCall } from "../../model/transcript.ts";
import { cutRow } from "../../terminal/cut-row.ts";
import type { Output } from "../../terminal/output.ts";
import { Styled, styled } from "../../terminal/styled.ts";

/** How much of a running tool's output is kept for showing its end, in UTF-16 units. */
const KEPT = 4_000;

/** How often the time is drawn anew, in milliseconds. */
const TICK_MS = 1_000;

/** How a call ended; null while it runs. */
type CallEnd = "done" | "failed" | "not run" | null;

/** A call that runs: on a screen its line stands at the foot with the time it takes, above the end of what it puts out. */
export class RunningCall implements Disposable {
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #call: ToolCall;
  readonly #summary: string;
  readonly #from: number;
  readonly #region: Disposable;
  #text = "";
  #timer: Disposable;

  constructor(output: Output, clock: Clock, call: ToolCall, summary: string) {
    this.#output = output;
    this.#clock = clock;
    this.#call = call;
    this.#summary = callSummary(call, summary);
    this.#from = clock.now();
    this.#timer = clock.setTimer(TICK_MS, () => this.#tick());
    this.#region = output.foot.place("answer", (width, room) => ({ rows: this.#rows(width, room) }));
  }

  /** Takes what the call puts out. */
  add(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT);
    this.#output.foot.redraw();
  }

  /** The line that stays, with how the call ended and how long it took. */
  line(end: CallEnd, width = this.#output.io.columns()): Styled {
    const { bold, cyan, dim, green, red, yellow } = this.#output.colors;
    const sign = end === null ? cyan("●") : end === "done" ? green("●") : end === "failed" ? red("✗") : yellow("○");
    const seconds = Math.floor((this.#clock.now() - this.#from) / 1_000);
    const time = seconds === 0 || end === "not run" ? "" : `  ${timeText(seconds)}`;
    const name = Styled.from(this.#call.name);
    const room = width - columnsOf(`● ${name}  ${time}`) - 1;
    const summary = cutRow(String(Styled.from(this.#summary)).replaceAll(/\s+/g, " ").trim(), Math.max(8, room));
    return styled`${sign} ${bold(name)}  ${summary}${dim(time)}`;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#region[Symbol.dispose]();
  }

  #tick(): void {
    this.#timer = this.#clock.setTimer(TICK_MS, () => this.#tick());
    this.#output.foot.redraw();
  }

  #rows(width: number, room: number): string[] {
    const { dim } = this.#output.colors;
    const last = lastLines(this.#text, Math.max(0, room - 1)).map((line) => dim(`  ${line.trimEnd()}`));
    return [this.line(null, width), ...last].map(({ ansi }) => ansi.replaceAll("\t", "  "));
  }
}

/** `12 s`, `2 min 5 s` */
function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return durationText(seconds * 1_000);
  return `${minutes} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
}
