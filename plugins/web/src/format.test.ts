import { describe, expect, it } from "vitest";
import { render, TEXT_LIMIT } from "./format.ts";

describe("a long answer", () => {
  it("comes in pieces that fit, each with its code closed, and nothing of it is lost", () => {
    const line = `${"x".repeat(99)}\n`;
    const markdown = `Look:\n\n\`\`\`ts\n${line.repeat(1_500)}\`\`\`\n\nDone.`;
    const texts = render({ kind: "answer", markdown }).map(({ text }) => text);
    expect(texts).toHaveLength(3);
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(TEXT_LIMIT.length);
      expect(text.match(/^```/gm)).toHaveLength(2);
    }
    expect(texts.join("").replaceAll(/^(?:```){1,2}(?:ts)?\n?/gm, "")).toBe(`Look:\n\n${line.repeat(1_500)}\nDone.`);
  });
});
