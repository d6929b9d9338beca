import { expect, it } from "vitest";
import { requestCost } from "./request-cost.ts";

const usage = { input: 1_000, cacheRead: 2_000, cacheWrite: 300, output: 50 };

it.each([
  ["each kind of token by its own price", { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, 5_475],
  ["cached tokens as others, where no price for them is known", { input: 3, output: 15 }, 10_650],
  ["nothing, where it is free", { input: 0, output: 0 }, 0],
  [
    "all of a long request by the prices of long ones",
    { input: 3, output: 15, long: { over: 3_299, input: 6, output: 22 } },
    20_900,
  ],
])("a request costs %s, in millionths of a dollar", (_, prices, cost) => {
  expect(requestCost(prices, usage)).toBe(cost);
});

it("a request of an unknown price costs no known amount, rather than nothing", () => {
  expect(requestCost(null, usage)).toBeNull();
});
