import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import type { Clock } from "./clock.ts";
import { regularly } from "./regularly.ts";

test("what is due at the same interval is done at the same moment", async () => {
  const clock = createVirtualClock(0);
  const calls: string[] = [];
  using _first = regularly(clock, 5_000, () => calls.push(`first at ${clock.now()}`));
  await clock.advance(1_200);
  using _second = regularly(clock, 5_000, () => calls.push(`second at ${clock.now()}`));
  await clock.advance(8_800);
  expect(calls).toEqual(["first at 5000", "second at 5000", "first at 10000", "second at 10000"]);
});

test("a call that takes longer than its interval leaves others out", async () => {
  const clock = createVirtualClock(0);
  const gate = Promise.withResolvers<void>();
  const calls: number[] = [];
  using _slow = regularly(clock, 1_000, () => {
    calls.push(clock.now());
    return calls.length === 1 ? gate.promise : undefined;
  });
  await clock.advance(2_500);
  gate.resolve();
  await clock.advance(1_500);
  expect(calls).toEqual([1_000, 3_000, 4_000]);
});

test("the first call comes with the next one of the others, however soon", async () => {
  const clock = createVirtualClock(0);
  using _origin = regularly(clock, 60_000, () => {});
  await clock.advance(995);
  const calls: number[] = [];
  using _late = regularly(clock, 1_000, () => calls.push(clock.now()));
  await clock.advance(2_000);
  expect(calls).toEqual([1_000, 2_000]);
});

test("a call whose timer fires early is not repeated", async () => {
  const clock = createVirtualClock(0);
  const early: Clock = { ...clock, setTimer: (delayMs, run) => clock.setTimer(delayMs - 2, run) };
  const calls: number[] = [];
  using _looks = regularly(early, 1_000, () => calls.push(clock.now()));
  await clock.advance(3_000);
  expect(calls).toEqual([998, 1_998, 2_998]);
});

test("nothing is called once it is disposed of, not even by a run that ends later", async () => {
  const clock = createVirtualClock(0);
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const looks = regularly(clock, 1_000, () => {
    calls++;
    return gate.promise;
  });
  await clock.advance(1_000);
  looks[Symbol.dispose]();
  gate.resolve();
  await clock.advance(5_000);
  expect(calls).toBe(1);
});
