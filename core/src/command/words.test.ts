import { expect, test } from "vitest";
import { clip, sayAgo } from "./words.ts";

test("what has just been is said so", () => {
  expect(sayAgo(10_000, 9_000)).toBe("just now");
  expect(sayAgo(100_000, 40_000)).toBe("1 min ago");
});

test("a long text is cut on one line, and no character is halved", () => {
  expect(clip("a\nb  c", 10)).toBe("a b c");
  expect(clip("😀😀😀😀", 3)).toBe("😀😀…");
});
