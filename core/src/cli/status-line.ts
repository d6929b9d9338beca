import type { Output } from "./output.ts";

/** A line at the foot of the terminal that is drawn again and again; nothing where nobody watches. */
export interface StatusLine extends Disposable {
  show(text: string): void;
  clear(): void;
}

export function createStatusLine(output: Output): StatusLine {
  const { io, colors, json } = output;
  const isShown = io.isScreen && !json;
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) io.stdout.write("\r\x1b[K");
    isDrawn = false;
  };
  return {
    show(text) {
      if (!isShown) return;
      // A line that wraps could not be taken back.
      const room = io.columns() - 5;
      io.stdout.write(`\r\x1b[K  ${colors.dim(`${[...text].slice(0, room).join("")}`)}`);
      isDrawn = true;
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
