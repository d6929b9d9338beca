import type { Clock } from "../base/clock.ts";
import { createTerminalStream } from "./markdown-stream.ts";
import type { Output } from "./output.ts";
import type { Spinner } from "./spinner.ts";

/** A text that grows on the screen. */
export interface ScreenAnswer {
  push(delta: string): void;
  end(): void;
}

/** The least time between two drawings, in milliseconds. */
const DRAW_EVERY_MS = 40;

/** Lines that are drawn at that pace; more of them less often, so that the work stays in proportion to the text. */
const A_SCREEN = 25;

/** Where drawing takes long, a share of the time is left for everything else. */
const REST = 4;

/**
 * Shows an answer while it is written. A block that is complete is written for good; the one that is being written is
 * drawn below it, as far as it is there, and drawn anew as it grows.
 */
export function createScreenAnswer(output: Output, clock: Clock, spinner: Spinner): ScreenAnswer {
  const { io } = output;
  /** What is drawn of the block that is being written. */
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
      // What follows is shown with it, so that the foot of the screen does not jump.
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
    // Code is shown by whole lines: more is being written meanwhile.
    if (lines.length === 0) spinner.spin("writing");
    const pace = DRAW_EVERY_MS * Math.max(1, lines.length / A_SCREEN);
    drawNext = clock.now() + Math.max(pace, REST * (clock.now() - from));
  };

  return {
    push(delta) {
      stream.push(delta);
      const wait = drawNext - clock.now();
      // On a terminal that is not drawn on, a block is shown when it is complete.
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
