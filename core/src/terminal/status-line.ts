import { oneLine } from "../base/one-line.ts";
import type { Output } from "./output.ts";

/** A line at the foot of the terminal that is drawn again and again; nothing where nobody watches. */
export interface StatusLine extends Disposable {
  show(text: string): void;
  clear(): void;
}

export function createStatusLine(output: Output): StatusLine {
  const { io, colors, json } = output;
  const isShown = io.isScreen && !json;
  let shown: { text: string; readonly kept: Disposable } | null = null;
  const hide = () => void io.stdout.write("\r\x1b[K");
  const draw = () => {
    // A line that wraps could not be taken back.
    const room = io.columns() - 5;
    io.stdout.write(`\r\x1b[K  ${colors.dim([...oneLine(shown?.text ?? "")].slice(0, room).join("")).ansi}`);
  };
  const clear = () => {
    if (shown === null) return;
    shown.kept[Symbol.dispose]();
    shown = null;
    hide();
  };
  return {
    show(text) {
      if (!isShown) return;
      shown = { text, kept: shown?.kept ?? output.keepBelow({ hide, show: draw }) };
      draw();
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
