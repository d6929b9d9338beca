import type { Clock } from "../base/clock.ts";
import type { Output } from "./output.ts";
import { createStatusLine } from "./status-line.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 90;

/** A sign of life while nothing is printed; shows nothing on an output that is not drawn on. */
export interface Spinner extends Disposable {
  spin(text: string): void;
  stop(): void;
}

export function createSpinner(output: Output, clock: Clock): Spinner {
  const line = createStatusLine(output);
  let timer: Disposable | null = null;
  let frame = 0;
  const stop = () => {
    timer?.[Symbol.dispose]();
    timer = null;
    line.clear();
  };
  const turn = (text: string) => {
    line.show(`${FRAMES[frame++ % FRAMES.length]} ${text}`);
    timer = clock.setTimer(FRAME_MS, () => turn(text));
  };
  return {
    spin(text) {
      stop();
      if (output.io.draws) turn(text);
    },
    stop,
    [Symbol.dispose]: stop,
  };
}
