import { expect, test } from "vitest";
import { ageText, count, withoutFullStop } from "./text.ts";

test("count uses the singular for one and the plural for everything else", () => {
  expect([0, 1, 2].map((number) => count(number, "message"))).toEqual(["0 messages", "1 message", "2 messages"]);
});

test("an age is shown in the largest fitting unit", () => {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000];
  expect([-second, 3 * second, 5 * minute, 3 * hour, 96 * hour].map(ageText)).toEqual([
    "0 s",
    "3 s",
    "5 min",
    "3 h",
    "4 days",
  ]);
});

test("withoutFullStop drops only a full stop at the end", () => {
  expect(["It is down.", "It waits…", "v1.2", ""].map(withoutFullStop)).toEqual([
    "It is down",
    "It waits…",
    "v1.2",
    "",
  ]);
});
