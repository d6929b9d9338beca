import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PlatformError } from "../../base/errors.ts";
import { draftKey } from "./find-draft.ts";
import { type GrowingTest, NOTICE, openGrowingTest, refusal, UNCERTAIN } from "./test-growing.ts";

let on: GrowingTest;
beforeEach(async () => {
  on = await openGrowingTest();
});
afterEach(() => on[Symbol.asyncDispose]());

test("an edit whose answer was lost is made again, since it says the same", async () => {
  on.tellNothingOfSends();
  const turn = await on.shown("One");
  on.platform.fail("edit", UNCERTAIN);
  await on.end(turn);
  await on.untilSent();
  expect(on.texts()).toEqual(["One, two"]);
});

describe("an answer completes what was shown of it", () => {
  async function growTo() {
    const turn = await on.start();
    const growing = await on.growing(turn, "One");
    growing.push(", two");
    await growing.close();
    await on.finish(turn);
    expect(on.texts()).toEqual(["One, two"]);
  }

  test("edits the streamed message even if the reply to the first send was lost", async () => {
    on.loseNextReply();
    await growTo();
  });

  test("edits the streamed message, without lookup, where sends are idempotent", async () => {
    on.adapter.findSent = undefined;
    on.loseNextReply();
    await growTo();
  });

  test.each([
    ["be looked up", true],
    ["be sent once more under its key", false],
  ])("edits the streamed message even if it can %s only after a while", async (_, isFound) => {
    const { platform, adapter } = on;
    platform.capabilities = { ...platform.capabilities, idempotentSend: !isFound };
    const { findSent } = adapter;
    const away = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" });
    let lookups = 2;
    adapter.findSent = async (...asked) => {
      if (lookups-- > 0) throw away;
      return (await findSent?.call(adapter, ...asked)) ?? null;
    };
    if (!isFound) adapter.findSent = undefined;
    on.loseNextReply();
    const turn = await on.start();
    const growing = await on.growing(turn, "One");
    growing.push(", two");
    if (!isFound) platform.fail("send", away, 2);
    await growing.close();
    await on.end(turn);
    await on.untilSent();
    expect(on.texts()).toEqual(["One, two"]);
  });

  test("the streamed message is not edited if a new one may already have arrived", async () => {
    const { adapter } = on;
    adapter.findSent = undefined;
    on.loseNextReply();
    const turn = await on.shown("One");
    // The first message is refused a second time, and the word on the whole answer is lost.
    const { send } = adapter;
    const keys: string[] = [];
    adapter.send = async (to, piece, options) => {
      keys.push(options.key);
      if (keys.length === 1) throw refusal("PLATFORM_FORBIDDEN");
      const receipt = await send.call(adapter, to, piece, options);
      if (keys.length > 2) return receipt;
      throw UNCERTAIN;
    };
    await on.end(turn);
    await on.untilSent();
    expect(keys).toEqual([draftKey(turn), keys[1], keys[1]]);
    expect(on.texts()).toEqual(["One", "One, two"]);
  });

  test("edits the streamed message even if saving its id failed with STORE_BUSY", async () => {
    on.failToSaveDraft();
    await growTo();
  });
});

describe("an answer whose platform cannot edit any more", () => {
  beforeEach(() => on.tellNothingOfSends());

  test("an answer sent since it could not be edited, its reply lost, is sent once", async () => {
    const turn = await on.shown("One");
    on.adapter.edit = undefined;
    on.loseNextReply();
    await on.finish(turn);
    expect(on.texts()).toEqual(["One", "One, two"]);
    expect(await on.undelivered()).toEqual(["uncertain"]);
    await on.offer();
    expect(on.texts()).toEqual(["One", "One, two", NOTICE, "One, two"]);
  });

  test("an answer that may be shown whole gets a notice when nothing can be edited", async () => {
    on.loseNextReply();
    const turn = await on.shown("One, two");
    on.adapter.edit = undefined;
    await on.finish(turn);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual(["uncertain"]);
  });

  test("an answer that can grow no more in its message is said whole anew", async () => {
    const turn = await on.start();
    const growing = await on.growing(turn, "One");
    on.adapter.edit = undefined;
    growing.push(", two");
    await on.clock.advance(1_000);
    await growing.close();
    await on.finish(turn);
    expect(on.texts()).toEqual(["One", "One, two"]);
  });
});
