import { createVirtualClock, notingLogger } from "@hermes/testing";
import { expect, test } from "vitest";
import { pruneRegularly } from "./prune-regularly.ts";
import type { Store } from "./store.ts";

const HOUR_MS = 60 * 60_000;

/** A store whose steps are counted; each list is what the steps of one round remove. */
function start(rounds: (number | Error)[][]) {
  const clock = createVirtualClock();
  const steps: number[] = [];
  let round = 0;
  const prune = async () => {
    steps.push(clock.now());
    const removed = rounds[round]?.shift() ?? 0;
    if (removed instanceof Error) throw removed;
    return removed;
  };
  const logged: string[] = [];
  const pruning = pruneRegularly({
    ...{ clock, store: { prune } as Store, logger: notingLogger(logged), delayMs: 1_000 },
    also: async () => void round++,
  });
  return { clock, steps, logged, pruning, rounds: () => round };
}

test("prunes step by step until nothing is left, with a pause for others in between", async () => {
  const { clock, steps } = start([[200, 200, 7]]);
  await clock.advance(999);
  expect(steps).toEqual([]);
  await clock.advance(1_000);
  expect(steps).toHaveLength(4);
  expect(new Set(steps).size).toBe(4);
});

test("prunes again every six hours, also after a round that failed", async () => {
  const { clock, logged, rounds } = start([[new Error("the store is busy")]]);
  await clock.advance(1_000);
  expect(rounds()).toBe(0);
  expect(logged).toHaveLength(1);
  await clock.advance(6 * HOUR_MS);
  expect(rounds()).toBe(1);
});

test("prunes no more once it is disposed of", async () => {
  const { clock, steps, pruning } = start([[200, 200, 200]]);
  await clock.advance(1_000);
  const before = steps.length;
  pruning[Symbol.dispose]();
  await clock.advance(24 * HOUR_MS);
  expect(steps).toHaveLength(before);
});
