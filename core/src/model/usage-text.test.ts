import { expect, it } from "vitest";
import type { UsageSum } from "./usage.ts";
import { costText, dollarsText, tokensText, usageText } from "./usage-text.ts";

const SUM: UsageSum = {
  ...{ requests: 1, input: 100, cacheRead: 0, cacheWrite: 0, output: 20 },
  ...{ cost: 15_000, unpriced: 0, estimated: 0 },
};

it.each([
  [0, "$0"],
  [7, "less than $0.0001"],
  [4_200, "$0.0042"],
  [15_000, "$0.015"],
  [570_000, "$0.57"],
  [12_340_000, "$12.34"],
])("%i millionths of a dollar are written as %s", (cost, text) => {
  expect(dollarsText(cost)).toBe(text);
});

it.each([
  [842, "842"],
  [1_000, "1k"],
  [12_345, "12.3k"],
  [99_960, "100k"],
  [999_499, "999k"],
  [999_500, "1M"],
  [1_234_567, "1.2M"],
])("%i tokens are written as %s", (tokens, text) => {
  expect(tokensText(tokens)).toBe(text);
});

it("an unknown price is never written as nothing", () => {
  const unknown = { ...SUM, cost: 0, unpriced: 120 };
  expect(costText(unknown)).toBe("unknown");
  expect(usageText(unknown)).toBe(
    "an unknown price for 1 request: 100 tokens sent, 20 written; 120 tokens have an unknown price",
  );
  expect(costText({ ...SUM, requests: 2, input: 200, unpriced: 120 })).toBe("at least $0.015");
  expect(costText({ ...SUM, cost: 0 })).toBe("$0");
});
