import { expect, it } from "vitest";
import { threadName } from "./name.ts";

it.each([
  ["Fix the build", "Fix the build"],
  ["  one\n\ttwo \u2028 three ", "one two three"],
  ["", "Session"],
  ["\u200b \n", "Session"],
  ["<@123> asks <#5> about <@&7>", "asks about"],
  ["@everyone, look @here", "everyone, look here"],
  ["a".repeat(100), "a".repeat(100)],
  ["a".repeat(101), `${"a".repeat(99)}…`],
])("%j is a name that Discord takes", (title, name) => {
  expect(threadName(title)).toBe(name);
});

it("cuts no emoji in two, and stays within 100", () => {
  const name = threadName("👩‍👩‍👧‍👦".repeat(40));
  expect(name.length).toBeLessThanOrEqual(100);
  expect(name).toBe(`${"👩‍👩‍👧‍👦".repeat(9)}…`);
});
