import { describe, expect, it } from "vitest";
import { cleanName, render, TEXT_LIMIT } from "./format.ts";

describe("a thread's name", () => {
  it.each([
    ["  Fix\n\tthe build ", "Fix the build"],
    ["", "New thread"],
    ["\u0000\u202e \u200b", "New thread"],
    ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
  ])("%j reads %j", (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  it("is cut to 100 units, never inside a character", () => {
    const name = cleanName("👩‍👩‍👧".repeat(50));
    expect(name.length).toBeLessThanOrEqual(100);
    expect(name).toMatch(/^(👩‍👩‍👧)+…$/u);
  });
});

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
