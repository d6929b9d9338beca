import { createTerminalStream, renderForTerminal } from "@hermes/core/internal";
import { describe, expect, it } from "vitest";
import { effortOf, HOSTILE_SHAPES } from "./hostile-markdown.ts";

const TERMINAL = { width: 80, color: true };

describe("hostile Markdown", () => {
  it("there are at least 200 hostile shapes, of any length, with distinct names", () => {
    expect(new Set(HOSTILE_SHAPES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(200);
    for (const { name, write } of HOSTILE_SHAPES) {
      for (const length of [50, 1_000, 7_777]) expect(write(length), name).toHaveLength(length);
    }
  });

  it.each([
    ["as a whole", (text: string) => renderForTerminal(text, TERMINAL)],
    [
      "while it streams in",
      (text: string) => {
        const stream = createTerminalStream({ ...TERMINAL, write: () => {} });
        for (let at = 0; at < text.length; at += 20) stream.push(text.slice(at, at + 20));
        stream.unfinished();
        stream.end();
      },
    ],
  ])("twice the length takes the terminal at most three times the work, %s", { timeout: 240_000 }, (_, render) => {
    for (const { shape, once, twice } of effortOf(render, 2_000)) {
      expect(twice, `${shape}: ${once}, ${twice}`).toBeLessThanOrEqual(3 * once);
    }
  });
});
