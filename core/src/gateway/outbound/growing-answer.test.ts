import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Turn } from "../../model/turn.ts";
import { accountLease } from "../../store/work-stores.ts";
import { draftKey } from "./find-draft.ts";
import { answer, CONVERSATION, type GrowingTest, HOLDER, KEY, NEXT, openGrowingTest } from "./test-growing.ts";

let on: GrowingTest;
beforeEach(async () => {
  on = await openGrowingTest();
});
afterEach(() => on[Symbol.asyncDispose]());

/** From now on the platform edits nothing of what it shows. */
function endEdits(): void {
  for (const { id } of on.platform.messages) on.platform.uneditable.add(id);
}

test("an answer whose turn another process took over does not grow any more", async () => {
  const growing = await on.growing(await on.start(), "One", ", two");
  expect(on.texts()).toEqual(["One, two"]);

  // This process sleeps, and wakes when its lease is over and another has the session.
  await on.startNext();
  growing.push(", three");
  await on.clock.advance(1_000);
  await growing.close();
  expect(on.texts()).toEqual(["One, two"]);
});

test("a turn that goes on after it waited begins another message", async () => {
  const { store } = on;
  const turn = await on.start();
  const growing = await on.growing(turn, "I would do");
  growing.push(" that");
  await growing.close();
  await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 15_000);
  await store.turns.parkTurn({
    ...{ turnId: turn.id, fence: turn.fence, reason: "handoff", approvals: [], shownAt: [] },
    outbox: [answer("I would do that")],
  });
  await on.untilSent(0);
  expect(on.texts()).toEqual(["I would do that"]);

  const again = await store.turns.resumeTurn({ turnId: turn.id, holder: NEXT, leaseMs: 15_000 });
  if (!again.ok) throw new Error(again.reason);
  const next = await on.growing(again.turn, "Done");
  expect(on.texts()).toEqual(["I would do that", "Done"]);
  next.push(" now");
  await next.close();
  await on.finish(again.turn, "Done now");
  expect(on.texts()).toEqual(["I would do that", "Done now"]);
});

test.each([
  ["a quick", 0],
  ["a slow", 1_000],
])("%s second attempt completes the message that a dead first one had begun", async (_, ms) => {
  const first = await on.start();
  // Killed between the platform's taking it and the record of that.
  const sendKey = draftKey(first);
  const draft = { sendKey, turnId: first.id, key: KEY, conversation: CONVERSATION };
  await on.store.outbox.saveDraft({ ...draft, messageId: null });
  await on.adapter.send(CONVERSATION, { text: "One" }, { key: sendKey, signal: new AbortController().signal });

  const turn = await on.startNext();
  const growing = on.grow(turn);
  growing.push("One, two");
  await on.clock.advance(ms);
  await growing.close();
  await on.finish(turn);
  expect(on.texts()).toEqual(["One, two"]);
});

test("an answer shown whole is whole again after a second attempt began it anew", async () => {
  await on.shown("One, two");
  const turn = await on.startNext();
  const growing = await on.growing(turn, "One");
  expect(on.texts()).toEqual(["One"]);
  growing.push(", two");
  await growing.close();
  await on.finish(turn);
  expect(on.texts()).toEqual(["One, two"]);
});

describe("a process that lost its turn to another one", () => {
  /** The turn of the next process, which has shown its whole answer. */
  async function shownByTheNext(): Promise<Turn> {
    const turn = await on.startNext();
    const growing = await on.growing(turn, "One, two");
    await on.clock.advance(1_000);
    await growing.close();
    expect(on.texts()).toEqual(["One, two"]);
    return turn;
  }

  async function finishUneditable(turn: Turn): Promise<void> {
    endEdits();
    await on.finish(turn);
    expect(on.texts()).toEqual(["One, two"]);
  }

  test("an answer of the next process stays whole, whatever the former had shown", async () => {
    const growing = await on.growing(await on.start(), "One");
    const turn = await shownByTheNext();
    await growing.close();
    await finishUneditable(turn);
  });

  test("an answer of the next process stays whole, though the former began to show it", async () => {
    const growing = on.grow(await on.start());
    const held = gate();
    const { get } = on.store.turns;
    let looks = 0;
    on.store.turns.get = async (id) => {
      if (++looks === 2) await held.pass();
      return get(id);
    };
    growing.push("One");
    const showing = on.clock.advance(1_000);
    await held.reached;
    on.restart();
    const turn = await shownByTheNext();
    held.open();
    await showing;
    await growing.close();
    await finishUneditable(turn);
  });
});

test("an answer stops growing in time, and is said whole once edits are refused", async () => {
  const { platform, clock } = on;
  platform.capabilities = { ...platform.capabilities, edits: { minIntervalMs: 100, forMs: 60_000 } };
  const turn = await on.start();
  const growing = await on.growing(turn, "One");
  growing.push(", two");
  await clock.advance(50_000);
  expect(on.texts()).toEqual(["One, two"]);
  await clock.advance(5_000);
  growing.push(", three");
  await clock.advance(5_000);
  expect(on.texts()).toEqual(["One, two"]);
  await growing.close();
  endEdits();
  await on.finish(turn, "One, two, three");
  expect(on.texts()).toEqual(["One, two", "One, two, three"]);
});

test("formats a growing answer in proportion to its length, a section at a time", async () => {
  const { platform, adapter, clock } = on;
  platform.capabilities = { ...platform.capabilities, textLimit: { length: 1_000_000, unit: "utf16" } };
  const turn = await on.start();
  const { render } = adapter;
  const costs: number[] = [];
  for (const deltas of [400, 800, 6_400]) {
    let formatted = 0;
    adapter.render = (message, root) => {
      formatted += message.markdown.length;
      return render.call(adapter, message, root);
    };
    const growing = on.grow(turn);
    for (let at = 0; at < deltas; at++) {
      growing.push("twenty characters.\n\n");
      await clock.advance(20);
      // What is being shown is shown.
      await on.presenter().delivery.exclusive(KEY, async () => {});
    }
    await growing.close();
    costs.push(formatted);
  }
  const [once = 0, twice = 0, often = 0] = costs;
  expect(once).toBeGreaterThan(8_000);
  expect(twice).toBeLessThanOrEqual(2 * once);
  expect(often).toBeLessThanOrEqual(2 * twice);
});
