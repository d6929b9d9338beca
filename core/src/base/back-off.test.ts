import { expect, test } from "vitest";
import { backOff } from "./back-off.ts";

test("pauses double from the first to the longest", () => {
  const pauses = [1, 2, 3, 4, 5, 2_000].map((failures) => backOff(failures, { firstMs: 1_000, lastMs: 5_000 }));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
});
