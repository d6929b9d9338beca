import { expect, it } from "vitest";
import { threadName } from "./thread-name.ts";

it.each([
  ["Fix the build", "Fix the build"],
  ["  one\n\ttwo \u2028 three ", "one two three"],
  ["", "New session"],
  ["\u0000\u202e \u200b", "New session"],
  ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
  ["x".repeat(100), "x".repeat(100)],
  ["x".repeat(101), `${"x".repeat(99)}…`],
  ["👩‍👩‍👧‍👦".repeat(40), `${"👩‍👩‍👧‍👦".repeat(9)}…`],
])("%j is a thread that is called %j", (title, name) => {
  expect(threadName(title, 100)).toBe(name);
});
