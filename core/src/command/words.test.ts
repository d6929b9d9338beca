import { expect, test } from "vitest";
import { clip, sayAgo } from "./words.ts";

test("sayAgo calls the last seconds “just now”", () => {
  expect(sayAgo(10_000, 9_000)).toBe("just now");
  expect(sayAgo(100_000, 40_000)).toBe("1 min ago");
});

test("clip shortens a text to one line without halving a character", () => {
  expect(clip("a\nb  c", 10)).toBe("a b c");
  expect(clip("😀😀😀😀", 3)).toBe("😀😀…");
});
