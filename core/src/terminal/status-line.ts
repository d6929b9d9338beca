import { oneLine } from "../base/one-line.ts";
import type { Output } from "./output.ts";

/** A line at the foot of the terminal that is redrawn; shows nothing on an output that is not drawn on. */
export interface StatusLine extends Disposable {
  show(text: string): void;
  clear(): void;
}

export function createStatusLine({ io, colors, foot, json }: Output): StatusLine {
  const isShown = io.draws && !json;
  let text = "";
  let region: Disposable | null = null;
  const draw = (width: number) => ({
    rows: [`  ${colors.dim([...oneLine(text)].slice(0, width - 5).join("")).ansi}`],
  });
  const clear = () => {
    region?.[Symbol.dispose]();
    region = null;
  };
  return {
    show(wanted) {
      if (!isShown) return;
      text = wanted;
      if (region === null) region = foot.place("status", draw);
      else foot.redraw();
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
