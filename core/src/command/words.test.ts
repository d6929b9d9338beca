import { expect, test } from "vitest";
import { clip, count, sayAgo } from "./words.ts";

test("what has just been is said so", () => {
  expect(sayAgo(10_000, 9_000)).toBe("just now");
  expect(sayAgo(100_000, 40_000)).toBe("1 min ago");
});

test("one is singular, everything else plural", () => {
  expect([0, 1, 2].map((number) => count(number, "message"))).toEqual(["0 messages", "1 message", "2 messages"]);
});

test("a long text is cut on one line, and no character is halved", () => {
  expect(clip("a\nb  c", 10)).toBe("a b c");
  expect(clip("😀😀😀😀", 3)).toBe("😀😀…");
});
