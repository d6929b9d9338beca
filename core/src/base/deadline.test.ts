import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { isDoneWithin, untilAborted, withDeadline } from "./deadline.ts";

const never = new Promise<never>(() => {});
const late = () => new Error("late");

test("work that is done in time keeps its result and leaves no timer", async () => {
  const clock = createVirtualClock();
  expect(await withDeadline(clock, 1_000, Promise.resolve("done"), late)).toBe("done");
  expect(await isDoneWithin(clock, 1_000, Promise.resolve("done"))).toBe(true);
  await expect(withDeadline(clock, 1_000, Promise.reject(new Error("broken")), late)).rejects.toThrow("broken");
  await expect(isDoneWithin(clock, 1_000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("work that hangs ends when its time is up", async () => {
  const clock = createVirtualClock();
  const limited = withDeadline(clock, 1_000, never, late);
  const isDone = isDoneWithin(clock, 1_000, never);
  const rejected = expect(limited).rejects.toThrow("late");
  await clock.advance(1_000);
  await rejected;
  expect(await isDone).toBe(false);
});

test("work that hangs ends with its signal, even one that aborted before", async () => {
  const stopping = new AbortController();
  const rejected = expect(untilAborted(never, stopping.signal)).rejects.toThrow("stopped");
  stopping.abort(new Error("stopped"));
  await rejected;
  await expect(untilAborted(never, stopping.signal, late)).rejects.toThrow("late");
  expect(await untilAborted(Promise.resolve("done"), undefined)).toBe("done");
});
