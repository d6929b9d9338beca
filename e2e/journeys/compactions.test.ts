import { expect, it } from "vitest";
import { runCompactions } from "../../soak/compactions/run-compactions.ts";

it("planted facts survive compactions at two places, and kills", { timeout: 400_000 }, async () => {
  const { rows, faults } = await runCompactions({ compactions: 5, seed: 1 }, () => {});
  expect(faults).toEqual([]);
  expect(rows.map(({ place }) => place)).toEqual(["terminal", "signal", "terminal"]);
  expect(rows.reduce((sum, { itself, hand, refusal }) => sum + itself + hand + refusal, 0)).toBe(5);
  expect(rows.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(0);
});
