import type { Clock } from "../base/clock.ts";
import { createTerminalStream } from "./markdown-stream.ts";
import type { Output } from "./output.ts";
import type { Spinner } from "./spinner.ts";

/** A streamed text on the screen. */
export interface ScreenAnswer {
  push(delta: string): void;
  end(): void;
}

/** The minimum number of milliseconds between two redraws. */
const DRAW_EVERY_MS = 40;

/** A block with more lines than this is redrawn less often, so that the work stays proportional to the text. */
const A_SCREEN = 25;

/** When redrawing is slow, it pauses this many times as long as it took, to leave time for everything else. */
const REST = 4;

/**
 * Shows an answer while it streams in. A complete block is written for good; the unfinished one is drawn below it, and
 * redrawn as it grows.
 */
export function createScreenAnswer(output: Output, clock: Clock, spinner: Spinner): ScreenAnswer {
  const { io } = output;
  /** The drawn lines of the unfinished block. */
  let lines: readonly string[] = [];
  const region = output.foot.place("answer", (_, room) => ({ rows: lines.slice(-room) }));
  let timer: Disposable | null = null;
  let drawNext = 0;

  const stream = createTerminalStream({
    get width() {
      return io.columns();
    },
    color: io.color,
    write(text) {
      lines = [];
      spinner.stop();
      output.foot.above(() => void io.stdout.write(text));
      // Redraws at once, so that the foot of the screen does not jump.
      drawNext = 0;
    },
  });
  const stopTimer = () => {
    timer?.[Symbol.dispose]();
    timer = null;
  };
  const draw = () => {
    stopTimer();
    const from = clock.now();
    lines = stream.unfinished();
    if (lines.length > 0) spinner.stop();
    output.foot.redraw();
    // Code is shown in whole lines: the spinner shows that more is coming.
    if (lines.length === 0) spinner.spin("writing");
    const pace = DRAW_EVERY_MS * Math.max(1, lines.length / A_SCREEN);
    drawNext = clock.now() + Math.max(pace, REST * (clock.now() - from));
  };

  return {
    push(delta) {
      stream.push(delta);
      const wait = drawNext - clock.now();
      // On a terminal that is not drawn on, only complete blocks are shown.
      if (!io.draws) return;
      if (wait <= 0) draw();
      else timer ??= clock.setTimer(wait, draw);
    },
    end() {
      stopTimer();
      lines = [];
      spinner.stop();
      stream.end();
      region[Symbol.dispose]();
    },
  };
}
