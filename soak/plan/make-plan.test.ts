import { expect, it } from "vitest";
import { PLATFORM_NAMES } from "./acts.ts";
import { makePlan, partOf } from "./make-plan.ts";

const MINUTE_MS = 60_000;

it("the same seed makes the same plan, and another seed another one", () => {
  expect(makePlan(7, 5 * MINUTE_MS)).toEqual(makePlan(7, 5 * MINUTE_MS));
  expect(makePlan(8, 5 * MINUTE_MS)).not.toEqual(makePlan(7, 5 * MINUTE_MS));
});

it("a longer run begins as a shorter one of the same seed", () => {
  const short = makePlan(7, MINUTE_MS).acts;
  expect(makePlan(7, 5 * MINUTE_MS).acts.filter(({ at }) => at < MINUTE_MS)).toEqual(short);
});

it("the parts of a plan are the whole plan, each with times of its own", () => {
  const plan = makePlan(7, 6 * MINUTE_MS);
  const parts = [1, 2, 3].map((number) => partOf(plan, number, 3));
  expect(parts.map(({ durationMs }) => durationMs)).toEqual([2 * MINUTE_MS, 2 * MINUTE_MS, 2 * MINUTE_MS]);
  expect(parts.flatMap(({ acts }, i) => acts.map((act) => ({ ...act, at: act.at + i * 2 * MINUTE_MS })))).toEqual(
    plan.acts,
  );
});

it.each([1, 7, 2042])("one lock of five and one full disk of four are long in half an hour of seed %i", (seed) => {
  const { acts } = makePlan(seed, 30 * MINUTE_MS);
  const lengthsOf = (kind: "lock" | "fill") => acts.flatMap((act) => (act.does === kind ? [act.forMs] : []));
  const [locks, disks] = [lengthsOf("lock"), lengthsOf("fill")];
  const longLocks = locks.filter((forMs) => forMs >= 25_000 && forMs <= 50_000);
  const longDisks = disks.filter((forMs) => forMs >= 10_000 && forMs <= 30_000);
  expect(longLocks.length).toBe(Math.ceil((locks.length - 1) / 5));
  expect(longDisks.length).toBe(Math.ceil((disks.length - 1) / 4));
  expect(Math.max(...locks.filter((forMs) => !longLocks.includes(forMs)))).toBeLessThanOrEqual(9_000);
  expect(Math.max(...disks.filter((forMs) => !longDisks.includes(forMs)))).toBeLessThanOrEqual(6_000);
});

it("somebody who has never written before writes during every long lock", () => {
  const { acts } = makePlan(2042, 30 * MINUTE_MS);
  const long = acts.filter((act) => act.does === "lock" && act.forMs >= 25_000);
  const newcomers = acts.filter((act) => act.does === "write" && act.byNewcomer);
  for (const { at } of long) expect(newcomers.some((one) => one.at > at && one.at < at + 25_000)).toBe(true);
});

it("half an hour has every kind of harm, every platform, and no token twice", () => {
  const { acts } = makePlan(1, 30 * MINUTE_MS);
  expect(new Set(acts.map(({ does }) => does))).toEqual(
    new Set(["write", "renew", "hand-off", "kill", "freeze", "leave", "lock", "fill", "trouble"]),
  );
  expect(new Set(acts.flatMap((act) => ("platform" in act ? [act.platform] : [])))).toEqual(new Set(PLATFORM_NAMES));
  const tokens = acts.flatMap((act) => ("token" in act ? [act.token] : []));
  expect(new Set(tokens).size).toBe(tokens.length);
});
