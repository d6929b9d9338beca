import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PlatformError } from "../../base/errors.ts";
import type { Turn } from "../../model/turn.ts";
import { type GrowingTest, LIMITED, NOTICE, openGrowingTest, refusal, UNAVAILABLE, UNCERTAIN } from "./test-growing.ts";

let on: GrowingTest;
beforeEach(async () => {
  on = await openGrowingTest();
});
afterEach(() => on[Symbol.asyncDispose]());

/** What is offered again comes below a notice, and nothing is left to offer. */
async function expectOffered(shown: string): Promise<void> {
  expect(on.texts()).toEqual([shown]);
  expect(await on.undelivered()).toEqual(["uncertain"]);
  await on.offer();
  expect(on.texts()).toEqual([shown, NOTICE, "One, two"]);
  expect(await on.undelivered()).toEqual([]);
}

describe("an answer whose last edit is refused for good", () => {
  /** Ends the turn while its last edit is refused at once. */
  async function finishForbidden(turn: Turn): Promise<void> {
    on.platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await on.finish(turn);
  }

  /**
   * Ends the turn while its first attempts at the last edit fail with `errors`, and every later one with `last`. An edit
   * of which nobody knows whether it was made was made.
   */
  async function finishRefused(
    turn: Turn,
    errors: readonly PlatformError[],
    last: PlatformError = refusal("PLATFORM_NOT_FOUND"),
  ): Promise<void> {
    const { adapter } = on;
    const { edit } = adapter;
    const left = [...errors];
    adapter.edit = async (...asked) => {
      const error = left.shift() ?? last;
      if (error === UNCERTAIN) await edit?.call(adapter, ...asked);
      throw error;
    };
    await on.end(turn);
    await on.untilSent();
  }

  async function sentWholeAndLost(): Promise<Turn> {
    on.loseNextReply();
    return on.shown("One, two");
  }

  test.each(["PLATFORM_FORBIDDEN", "PLATFORM_NOT_FOUND", "PLATFORM_REJECTED"] as const)(
    "an answer whose last edit fails with %s is sent whole as a new message",
    async (code) => {
      const turn = await on.shown("One");
      on.platform.fail("edit", refusal(code));
      await on.finish(turn);
      expect(on.texts()).toEqual(["One", "One, two"]);
    },
  );

  test("an answer that is already shown whole is not sent a second time", async () => {
    await finishForbidden(await on.shown("One, two"));
    expect(on.texts()).toEqual(["One, two"]);
  });

  test("an answer shown whole is not sent again even if saving its draft failed", async () => {
    on.failToSaveDraft();
    await finishForbidden(await on.shown("One, two"));
    expect(on.texts()).toEqual(["One, two"]);
  });

  test("an answer whose message only a repeated send revealed is said below a notice", async () => {
    on.adapter.findSent = undefined;
    await finishForbidden(await sentWholeAndLost());
    await expectOffered("One, two");
  });

  test.each([
    ["lost", UNCERTAIN],
    ["reported as never made", UNAVAILABLE],
  ])("an answer shown whole by an edit whose reply was %s is not said twice", async (_, error) => {
    const turn = await on.start();
    const growing = await on.growing(turn, "One");
    const { adapter } = on;
    const { edit } = adapter;
    adapter.edit = async (...asked) => {
      await edit?.call(adapter, ...asked);
      throw error;
    };
    growing.push(", two");
    await on.clock.advance(1_000);
    await growing.close();
    adapter.edit = edit;
    await finishForbidden(turn);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual(["uncertain"]);
  });

  test.each([
    ["limited", LIMITED],
    ["refused", refusal("PLATFORM_FORBIDDEN")],
  ])("an answer whose first send was %s is sent when it is whole", async (_, error) => {
    on.tellNothingOfSends();
    on.platform.fail("send", error);
    const turn = await on.start();
    const growing = on.grow(turn);
    growing.push("One, two");
    await on.clock.advance(500);
    await growing.close();
    await on.clock.advance(1_000);
    await on.finish(turn);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual([]);
  });

  test("an edit given up before the platform was asked for it counts as not made", async () => {
    const { adapter, store } = on;
    const turn = await on.start();
    const growing = await on.growing(turn, "One");
    const { edit } = adapter;
    adapter.edit = async (at, messageId, piece, options) => {
      options.signal.throwIfAborted();
      if (edit === undefined) throw new Error("nothing can be edited");
      return edit.call(adapter, at, messageId, piece, options);
    };
    const { head } = store.outbox;
    let closed: Promise<void> | undefined;
    store.outbox.head = async (...asked) => {
      closed ??= growing.close();
      return head(...asked);
    };
    growing.push(", two");
    await on.clock.advance(1_000);
    await closed;
    store.outbox.head = head;
    await finishForbidden(turn);
    expect(on.texts()).toEqual(["One", "One, two"]);
    expect(await on.undelivered()).toEqual([]);
  });

  test("an answer shown whole by a dead process stays so if no edit is asked for", async () => {
    await on.shown("One, two");
    const turn = await on.startNext();
    const growing = on.grow(turn);
    const { outbox } = on.store;
    const { saveDraft } = outbox;
    let closed: Promise<void> | undefined;
    outbox.saveDraft = async (draft) => {
      closed ??= growing.close();
      await saveDraft(draft);
    };
    growing.push("One");
    await on.clock.advance(1_000);
    await closed;
    await finishForbidden(turn);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual([]);
  });

  test("an answer whose first send was never asked for is sent without a notice", async () => {
    on.tellNothingOfSends();
    let looks = 0;
    const readers = vi.spyOn(on.presenter().delivery.readers, "mayRead").mockImplementation(async () => ++looks < 2);
    const turn = await on.shown("One, two");
    readers.mockRestore();
    await on.finish(turn);
    expect(on.texts()).toEqual(["One, two"]);
  });

  test("a delivery fails, with the reason, when edit and new message are both refused", async () => {
    const turn = await on.shown("One");
    on.platform.fail("send", refusal("PLATFORM_REJECTED"));
    await finishForbidden(turn);
    expect(await on.store.outbox.counts("loopback", undefined)).toEqual({ waiting: 0, failed: 1 });
  });

  test.each([
    ["cannot be looked up", false],
    ["is found, and cannot be edited", true],
  ])("an answer sent whole at first, its reply lost, is not said twice if it %s", async (_, isFound) => {
    const { findSent } = on.adapter;
    on.tellNothingOfSends();
    if (isFound) on.adapter.findSent = findSent;
    await finishRefused(await sentWholeAndLost(), [LIMITED]);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual(["uncertain"]);
  });

  test("an answer whose last edit is rate limited, then refused, is sent whole anew", async () => {
    await finishRefused(await on.shown("One"), [LIMITED, LIMITED]);
    expect(on.texts()).toEqual(["One", "One, two"]);
    expect(await on.undelivered()).toEqual([]);
  });

  test("an answer whose last edit is unavailable, then refused, is said below a notice", async () => {
    await finishRefused(await on.shown("One"), [UNAVAILABLE, LIMITED]);
    await expectOffered("One");
  });

  test.each([
    ["at once", [UNCERTAIN]],
    ["after others failed", [UNCERTAIN, UNAVAILABLE, LIMITED]],
  ])("an answer edited once, its reply lost, refused %s, is said below a notice", async (_, errors) => {
    await finishRefused(await on.shown("One"), errors);
    await expectOffered("One, two");
  });

  test.each([
    ["was edited, its reply lost,", () => on.shown("One"), [UNCERTAIN, UNAVAILABLE]],
    ["was sent whole, its reply lost,", sentWholeAndLost, []],
  ])("an answer that %s may be there if the token is bad", async (_, beginning, errors) => {
    const bad = new PlatformError("PLATFORM_UNAUTHORISED", { platform: "loopback" });
    await finishRefused(await beginning(), errors, bad);
    expect(on.texts()).toEqual(["One, two"]);
    expect(await on.undelivered()).toEqual(["uncertain"]);
  });

  test("an answer edited by a process that died is said below a notice if refused later", async () => {
    await on.dieEnding(await on.shown("One"), () => {
      on.platform.fail("edit", LIMITED);
      on.platform.fail("edit", refusal("PLATFORM_NOT_FOUND"));
    });
    await expectOffered("One, two");
  });

  test("an answer that was repeated whole, then refused its edit, is not said twice", async () => {
    on.adapter.findSent = undefined;
    on.platform.fail("send", UNCERTAIN);
    await finishRefused(await on.shown("One"), [LIMITED]);
    await expectOffered("One, two");
  });

  test("a lost answer is said below a notice though its process dies meanwhile", async () => {
    const turn = await sentWholeAndLost();
    on.adapter.findSent = async () => {
      throw refusal("PLATFORM_FORBIDDEN");
    };
    await on.dieEnding(turn);
    await expectOffered("One, two");
  });

  test("an answer is not sent twice when its process dies while sending it anew", async () => {
    const { platform } = on;
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    const turn = await on.shown("One");
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"), 10);
    await on.dieEnding(turn);
    expect(on.texts()).toEqual(["One", "One, two"]);
  });
});
