import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { beforeEach, expect, it } from "vitest";
import { type Hinted, Hints } from "./hints.ts";

let clock: VirtualClock;
let hints: Hints<number>;
beforeEach(() => {
  clock = createVirtualClock();
  hints = new Hints({ clock, everyMs: 20_000, deafEveryMs: 5_000 });
  hints.way("socket", true);
});

const { signal } = new AbortController();
/** What the next poll is to look at; null as long as it is not time. */
function next(isFirst = false): { readonly value: Hinted<number> | null } {
  const poll: { value: Hinted<number> | null } = { value: null };
  void hints.next({ signal, isFirst }).then((hinted) => {
    poll.value = hinted;
  });
  return poll;
}

it("the first poll comes at once and looks at all, and the next when it is time", async () => {
  const first = next(true);
  await clock.advance(0);
  expect(first.value).toMatchObject({ isDue: true, mayHaveMissed: true });
  const second = next();
  await clock.advance(19_999);
  expect(second.value).toBeNull();
  await clock.advance(1);
  expect(second.value).toEqual({ asked: new Map(), isDue: true, mayHaveMissed: false });
});

it("a hint makes the next poll come at once, for what it is about", async () => {
  next(true);
  await clock.advance(0);
  const poll = next();
  hints.ask("m1", 7);
  hints.ask("m1", 7);
  hints.ask("m2", 8);
  await clock.advance(0);
  const asked = new Map([
    ["m1", 7],
    ["m2", 8],
  ]);
  expect(poll.value).toEqual({ asked, isDue: false, mayHaveMissed: false });
});

it("hints without end do not put off the look at all that is recent", async () => {
  next(true);
  await clock.advance(0);
  let isDue = false;
  for (let second = 0; second < 20; second++) {
    const poll = next();
    await clock.advance(1_000);
    hints.ask(`m${second}`, second);
    await clock.advance(0);
    isDue = poll.value?.isDue ?? false;
    if (second < 18) expect(isDue).toBe(false);
  }
  expect(isDue).toBe(true);
});

it("the next poll asks again for what a failed one was asked for", async () => {
  next(true);
  await clock.advance(0);
  hints.ask("m1", 1);
  next();
  await clock.advance(0);
  hints.ask("m2", 2);
  const again = next(true);
  await clock.advance(0);
  expect([...(again.value?.asked.keys() ?? [])]).toEqual(["m1", "m2"]);
  const later = next();
  hints.wake();
  await clock.advance(0);
  expect(later.value).toEqual({ asked: new Map(), isDue: true, mayHaveMissed: true });
});

it("messages without a hint tell that none come, until one does", async () => {
  const old = clock.now() - 20_000;
  hints.heard("m1");
  for (const id of ["m1", "m2"]) hints.found(id, old);
  // Its hint may still be on its way.
  hints.found("m3", clock.now());
  expect(hints.isDeaf).toBe(false);
  hints.found("m4", old);
  expect(hints.isDeaf).toBe(true);
  next(true);
  await clock.advance(0);
  const soon = next();
  await clock.advance(5_000);
  expect(soon.value?.isDue).toBe(true);
  hints.heard("m5");
  expect(hints.isDeaf).toBe(false);
});

it("none can come while every way for them is closed", () => {
  expect(hints.way("webhook", true)).toBe(true);
  expect(hints.way("webhook", true)).toBe(false);
  hints.way("socket", false);
  expect(hints.isDeaf).toBe(false);
  hints.way("webhook", false);
  expect(hints.isDeaf).toBe(true);
});
