import { createVirtualClock, notingLogger } from "@hermes/testing";
import { expect, test } from "vitest";
import { processOf } from "../base/process-identity.ts";
import { pruneRegularly } from "./prune-regularly.ts";
import type { Store } from "./store.ts";
import type { TurnStore } from "./work-stores.ts";

const HOUR_MS = 60 * 60_000;

/** Starts pruning a store that notes its steps; each list has the numbers of rows that the steps of one round remove. */
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
  const left = [processOf("call_1", 2 ** 22), { ...processOf("call_2", 1), host: "elsewhere/boot" }];
  const ended: string[] = [];
  const turns = { leftRunning: async () => left, processEnded: async (id) => void ended.push(id) } as TurnStore;
  const pruning = pruneRegularly({
    ...{ clock, store: { prune, turns } as Store, logger: notingLogger(logged), delayMs: 1_000 },
    also: async () => void round++,
  });
  return { clock, steps, logged, ended, pruning, rounds: () => round };
}

test("pruning runs in steps with pauses until nothing is left", async () => {
  const { clock, steps } = start([[200, 200, 7]]);
  await clock.advance(999);
  expect(steps).toEqual([]);
  await clock.advance(1_000);
  expect(steps).toHaveLength(4);
  expect(new Set(steps).size).toBe(4);
});

test("pruning runs every six hours, even after a round that failed", async () => {
  const { clock, logged, rounds } = start([[new Error("the store is busy")]]);
  await clock.advance(1_000);
  expect(rounds()).toBe(0);
  expect(logged).toContainEqual(expect.stringContaining("old rows could not be removed"));
  await clock.advance(6 * HOUR_MS);
  expect(rounds()).toBe(1);
});

test("pruning stops when it is disposed of", async () => {
  const { clock, steps, pruning } = start([[200, 200, 200]]);
  await clock.advance(1_000);
  const before = steps.length;
  pruning[Symbol.dispose]();
  await clock.advance(24 * HOUR_MS);
  expect(steps).toHaveLength(before);
});

test("Hermes ends what dead processes left running before it prunes anything", async () => {
  const { clock, ended, logged } = start([[new Error("the store is busy")]]);
  await clock.advance(1_000);
  expect(ended).toEqual(["call_1"]);
  expect(logged[0]).toContain("what an earlier call left running could not be ended");
});
