import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { abortedWith, isDoneWithin, untilAborted, withDeadline } from "./deadline.ts";

const never = new Promise<never>(() => {});
const late = () => new Error("late");

test("a deadline passes on the result or the error of work that ends in time", async () => {
  const clock = createVirtualClock();
  expect(await withDeadline(clock, 1_000, Promise.resolve("done"), late)).toBe("done");
  expect(await isDoneWithin(clock, 1_000, Promise.resolve("done"))).toBe(true);
  await expect(withDeadline(clock, 1_000, Promise.reject(new Error("broken")), late)).rejects.toThrow("broken");
  await expect(isDoneWithin(clock, 1_000, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});

test("a deadline ends the wait for work that hangs", async () => {
  const clock = createVirtualClock();
  const limited = withDeadline(clock, 1_000, never, late);
  const isDone = isDoneWithin(clock, 1_000, never);
  const rejected = expect(limited).rejects.toThrow("late");
  await clock.advance(1_000);
  await rejected;
  expect(await isDone).toBe(false);
});

test("a signal ends the wait for work that hangs, even if it aborted before", async () => {
  const stopping = new AbortController();
  const rejected = expect(untilAborted(never, stopping.signal)).rejects.toThrow("stopped");
  stopping.abort(new Error("stopped"));
  await rejected;
  await expect(untilAborted(never, stopping.signal, late)).rejects.toThrow("late");
  expect(await untilAborted(Promise.resolve("done"), undefined)).toBe("done");
});

test("a signal that follows others aborts with the first of them until its disposal", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const following = abortedWith(one.signal, undefined, other.signal);
  const left = abortedWith(other.signal);
  left[Symbol.dispose]();
  other.abort("stopped");
  one.abort("too late");
  expect(following.signal.reason).toBe("stopped");
  expect(left.signal.aborted).toBe(false);
  expect(abortedWith(other.signal).signal.reason).toBe("stopped");
});
