import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { openStore } from "../../host/open-store.ts";
import type { InboxId } from "../../model/inbox.ts";
import { OPERATOR, type Session } from "../../model/session.ts";
import type { Turn } from "../../model/turn.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import type { Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { Delivery } from "./delivery.ts";
import { draftKey } from "./find-draft.ts";
import { GrowingAnswer } from "./growing-answer.ts";
import { EVERYBODY, NO_FILES } from "./test-readers.ts";
import { TurnPresenter } from "./turn-presenter.ts";

const CONVERSATION = { platform: "loopback", chatId: "home", kind: "dm" } as const;
const KEY = buildSessionKey(CONVERSATION);
const NOTICE = "This may not have reached you before:";
const HOLDER: Holder = { id: "prc_1", host: "here", pid: 1, pidStart: "1", role: "gateway" };
const NEXT: Holder = { ...HOLDER, id: "prc_2", pid: 2 };

let folder: string;
let clock: VirtualClock;
let platform: LoopbackPlatform;
let store: Store;
let parts: TurnPresenter;
let inboxId: InboxId;
let session: Session;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-growing-"));
  clock = createVirtualClock();
  const opened = await openStore(folder, { clock, probe: { fate: () => "alive" } });
  // A copy, so that a test can put another call in place of one.
  store = { ...opened, outbox: { ...opened.outbox }, turns: { ...opened.turns } };
  platform = new LoopbackPlatform();
  const adapter = platform.newAdapter();
  parts = new TurnPresenter(store, clock, silentLogger, adapter, deliveryTo(adapter));
  session = await store.sessions.create({ user: OPERATOR, origin: KEY, originChat: KEY });
  const message = { conversation: CONVERSATION, messageId: "in-1", sender: { id: "ada" }, sentAt: 0, text: "Hello" };
  const accepted = await store.inbox.acceptInbound(KEY, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  inboxId = accepted.row.id;
});

afterEach(async () => {
  await parts.delivery[Symbol.asyncDispose]();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function deliveryTo(adapter: PlatformAdapter): Delivery {
  const account = { account: undefined };
  return new Delivery(
    store,
    clock,
    silentLogger,
    HOLDER,
    (text) => text,
    adapter,
    account,
    { home: null },
    EVERYBODY,
    NO_FILES,
  );
}

async function start(holder: Holder) {
  const started = await store.turns.startTurn({
    sessionId: session.id,
    holder,
    cause: { kind: "inbox", inboxId },
    surface: KEY,
    leaseMs: 15_000,
    message: { role: "user", text: "Hello" },
  });
  if (!started.ok) throw new Error(started.reason);
  return started;
}

/** Ends a turn with its answer, and lets that go out. */
async function finish({ id: turnId, fence }: Turn, markdown: string): Promise<void> {
  const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown } } as const;
  await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 15_000);
  await store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [answer] });
  await vi.waitFor(async () => expect(await store.outbox.head(KEY)).toBeNull());
}

/** Offers what may not have arrived, as before the next answer, and waits until that is out. */
async function offer(): Promise<void> {
  await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
  await offerUndelivered(store, { key: KEY, conversation: CONVERSATION });
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(await store.outbox.head(KEY)).toBeNull();
  });
}

const grow = (turn: Turn) => new GrowingAnswer(parts, { key: KEY, conversation: CONVERSATION }, turn);

test("an answer whose turn another process took over does not grow any more", async () => {
  const growing = grow((await start(HOLDER)).turn);
  growing.push("One");
  await clock.advance(1_000);
  growing.push(", two");
  await clock.advance(1_000);
  expect(platform.textsIn("home")).toEqual(["One, two"]);

  // This process sleeps, and wakes when its lease is over and another has the session.
  await clock.advance(15_000);
  await start(NEXT);
  growing.push(", three");
  await clock.advance(1_000);
  await growing.close();
  expect(platform.textsIn("home")).toEqual(["One, two"]);
});

test("a turn that goes on after it waited begins another message", async () => {
  const first = await start(HOLDER);
  const growing = grow(first.turn);
  growing.push("I would do");
  await clock.advance(1_000);
  growing.push(" that");
  await growing.close();
  const said = { kind: "answer", markdown: "I would do that" } as const;
  await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 15_000);
  await store.turns.parkTurn({
    ...{ turnId: first.turn.id, fence: first.fence, reason: "handoff", approvals: [], shownAt: [] },
    outbox: [{ key: KEY, conversation: CONVERSATION, message: said }],
  });
  await vi.waitFor(async () => expect(await store.outbox.head(KEY)).toBeNull());
  expect(platform.textsIn("home")).toEqual(["I would do that"]);

  const request = { turnId: first.turn.id, holder: NEXT, leaseMs: 15_000 };
  const again = await store.turns.resumeTurn(request);
  if (!again.ok) throw new Error(again.reason);
  const next = grow(again.turn);
  next.push("Done");
  await clock.advance(1_000);
  expect(platform.textsIn("home")).toEqual(["I would do that", "Done"]);
  next.push(" now");
  await next.close();
  await finish(again.turn, "Done now");
  expect(platform.textsIn("home")).toEqual(["I would do that", "Done now"]);
});

test.each([
  ["a quick", 0],
  ["a slow", 1_000],
])("%s second attempt completes the message that a dead first one had begun", async (_, ms) => {
  const first = await start(HOLDER);
  // Killed between the platform's taking it and the record of that.
  const sendKey = draftKey(first.turn);
  const draft = { sendKey, turnId: first.turn.id, key: KEY, conversation: CONVERSATION };
  await store.outbox.saveDraft({ ...draft, messageId: null });
  const options = { key: sendKey, signal: new AbortController().signal };
  await parts.adapter.send(CONVERSATION, { text: "One" }, options);
  await clock.advance(15_000);

  const { turn } = await start(NEXT);
  const growing = grow(turn);
  growing.push("One, two");
  await clock.advance(ms);
  await growing.close();
  await finish(turn, "One, two");
  expect(platform.textsIn("home")).toEqual(["One, two"]);
});

test("an answer shown whole is whole again after a second attempt began it anew", async () => {
  const first = await start(HOLDER);
  const shown = grow(first.turn);
  shown.push("One, two");
  await clock.advance(1_000);
  await shown.close();
  await clock.advance(15_000);

  const { turn } = await start(NEXT);
  const growing = grow(turn);
  growing.push("One");
  await clock.advance(1_000);
  expect(platform.textsIn("home")).toEqual(["One"]);
  growing.push(", two");
  await growing.close();
  await finish(turn, "One, two");
  expect(platform.textsIn("home")).toEqual(["One, two"]);
});

describe("a process that lost its turn to another one", () => {
  /** The turn of the next process, which has shown its whole answer. */
  async function shownByTheNext(): Promise<Turn> {
    await clock.advance(15_000);
    const { turn } = await start(NEXT);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(2_000);
    await growing.close();
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    return turn;
  }

  async function finishUneditable(turn: Turn): Promise<void> {
    for (const { id } of platform.messages) platform.uneditable.add(id);
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  }

  test("an answer of the next process stays whole, whatever the former had shown", async () => {
    const growing = grow((await start(HOLDER)).turn);
    growing.push("One");
    await clock.advance(1_000);
    const turn = await shownByTheNext();
    await growing.close();
    await finishUneditable(turn);
  });

  test("an answer of the next process stays whole, though the former began to show it", async () => {
    const growing = grow((await start(HOLDER)).turn);
    const [slept, woke] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { get } = store.turns;
    let looks = 0;
    store.turns.get = async (id) => {
      if (++looks !== 2) return get(id);
      slept.resolve();
      await woke.promise;
      return get(id);
    };
    growing.push("One");
    const showing = clock.advance(1_000);
    await slept.promise;
    await using _former = parts.delivery;
    parts = new TurnPresenter(store, clock, silentLogger, parts.adapter, deliveryTo(parts.adapter));
    const turn = await shownByTheNext();
    woke.resolve();
    await showing;
    await growing.close();
    await finishUneditable(turn);
  });
});

describe("an answer whose last edit is refused for good", () => {
  const refusal = (code: "PLATFORM_FORBIDDEN" | "PLATFORM_NOT_FOUND" | "PLATFORM_REJECTED") =>
    new PlatformError(code, { platform: "loopback", reason: "the thread is archived", hint: "Write in it." });

  const UNCERTAIN = new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the answer was lost" });
  const UNAVAILABLE = new PlatformError("PLATFORM_UNAVAILABLE", {
    platform: "loopback",
    reason: "it is not connected",
  });
  const LIMITED = new PlatformError(
    "PLATFORM_RATE_LIMITED",
    { platform: "loopback", seconds: 1 },
    { retryAfterMs: 1_000 },
  );

  /** A turn of which the beginning is shown. */
  async function begun() {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    await growing.close();
    return turn;
  }

  test.each(["PLATFORM_FORBIDDEN", "PLATFORM_NOT_FOUND", "PLATFORM_REJECTED"] as const)(
    "an answer whose last edit fails with %s is sent whole as a new message",
    async (code) => {
      const turn = await begun();
      platform.fail("edit", refusal(code));
      await finish(turn, "One, two");
      expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
    },
  );

  test("an answer that is already shown whole is not sent a second time", async () => {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  });

  test("an answer shown whole is not sent again even if saving its draft failed", async () => {
    const { saveDraft } = store.outbox;
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    let failures = 1;
    store.outbox.saveDraft = async (draft) => {
      if (draft.messageId !== null && failures-- > 0) throw busy;
      await saveDraft(draft);
    };
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  });

  test("an answer whose message only a repeated send revealed is said below a notice", async () => {
    parts.adapter.findSent = undefined;
    platform.onSent = () => {
      platform.onSent = () => {};
      throw new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the connection was cut" });
    };
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One, two", NOTICE, "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test.each([
    ["lost", UNCERTAIN],
    ["reported as never made", UNAVAILABLE],
  ])("an answer shown whole by an edit whose reply was %s is not said twice", async (_, error) => {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    const { edit } = parts.adapter;
    parts.adapter.edit = async (...asked) => {
      await edit?.call(parts.adapter, ...asked);
      throw error;
    };
    growing.push(", two");
    await clock.advance(1_000);
    await growing.close();
    parts.adapter.edit = edit;
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
  });

  test.each([
    ["limited", LIMITED],
    ["refused", refusal("PLATFORM_FORBIDDEN")],
  ])("an answer whose first send was %s is sent when it is whole", async (_, error) => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    parts.adapter.findSent = undefined;
    platform.fail("send", error);
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(500);
    await growing.close();
    await clock.advance(1_000);
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test("an edit given up before the platform was asked for it counts as not made", async () => {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    const { edit } = parts.adapter;
    parts.adapter.edit = async (at, messageId, piece, options) => {
      options.signal.throwIfAborted();
      if (edit === undefined) throw new Error("nothing can be edited");
      return edit.call(parts.adapter, at, messageId, piece, options);
    };
    const { head } = store.outbox;
    let closed: Promise<void> | undefined;
    store.outbox.head = async (...asked) => {
      closed ??= growing.close();
      return head(...asked);
    };
    growing.push(", two");
    await clock.advance(1_000);
    await closed;
    store.outbox.head = head;
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test("an answer shown whole by a dead process stays so if no edit is asked for", async () => {
    const shown = grow((await start(HOLDER)).turn);
    shown.push("One, two");
    await clock.advance(1_000);
    await shown.close();
    await clock.advance(15_000);

    const { turn } = await start(NEXT);
    const growing = grow(turn);
    const { saveDraft } = store.outbox;
    let closed: Promise<void> | undefined;
    store.outbox.saveDraft = async (draft) => {
      closed ??= growing.close();
      await saveDraft(draft);
    };
    growing.push("One");
    await clock.advance(1_000);
    await closed;
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test("an answer whose first send was never asked for is sent without a notice", async () => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    parts.adapter.findSent = undefined;
    let looks = 0;
    const readers = vi.spyOn(parts.delivery.readers, "mayRead").mockImplementation(async () => ++looks < 2);
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    readers.mockRestore();
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  });

  test("a delivery fails, with the reason, when edit and new message are both refused", async () => {
    const turn = await begun();
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"));
    platform.fail("send", refusal("PLATFORM_REJECTED"));
    await finish(turn, "One, two");
    expect(await store.outbox.counts("loopback", undefined)).toEqual({ waiting: 0, failed: 1 });
  });

  /** Ends the turn while its first attempts at the last edit fail with `errors`, and every later one is refused. */
  async function finishRefused(
    { id: turnId, fence }: Turn,
    errors: readonly PlatformError[],
    last: PlatformError = refusal("PLATFORM_NOT_FOUND"),
  ): Promise<void> {
    const { edit } = parts.adapter;
    const left = [...errors];
    parts.adapter.edit = async (...asked) => {
      const error = left.shift() ?? last;
      if (error === UNCERTAIN) await edit?.call(parts.adapter, ...asked);
      throw error;
    };
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
    await store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [answer] });
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await store.outbox.head(KEY)).toBeNull();
    });
  }

  test.each([
    ["cannot be looked up", false],
    ["is found, and cannot be edited", true],
  ])("an answer sent whole at first, its reply lost, is not said twice if it %s", async (_, isFound) => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    if (!isFound) parts.adapter.findSent = undefined;
    platform.onSent = () => {
      platform.onSent = () => {};
      throw UNCERTAIN;
    };
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    await finishRefused(turn, [LIMITED]);
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
  });

  test("an answer whose last edit is rate limited, then refused, is sent whole anew", async () => {
    await finishRefused(await begun(), [LIMITED, LIMITED]);
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test("an answer whose last edit is unavailable, then refused, is said below a notice", async () => {
    await finishRefused(await begun(), [UNAVAILABLE, LIMITED]);
    expect(platform.textsIn("home")).toEqual(["One"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One", NOTICE, "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test.each([
    ["at once", [UNCERTAIN]],
    ["after others failed", [UNCERTAIN, UNAVAILABLE, LIMITED]],
  ])("an answer edited once, its reply lost, refused %s, is said below a notice", async (_, errors) => {
    await finishRefused(await begun(), errors);
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One, two", NOTICE, "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test.each([
    ["was edited, its reply lost,", () => begun(), [UNCERTAIN, UNAVAILABLE]],
    ["was sent whole, its reply lost,", () => sentWholeAndLost(), []],
  ])("an answer that %s may be there if the token is bad", async (_, beginning, errors) => {
    await finishRefused(
      await beginning(),
      errors,
      new PlatformError("PLATFORM_UNAUTHORISED", { platform: "loopback" }),
    );
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
  });

  async function sentWholeAndLost(): Promise<Turn> {
    platform.onSent = () => {
      platform.onSent = () => {};
      throw UNCERTAIN;
    };
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    return turn;
  }

  test("an answer edited by a process that died is said below a notice if refused later", async () => {
    const turn = await begun();
    const { settleSend } = store.outbox;
    const [died, restarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    store.outbox.settleSend = async () => {
      died.resolve();
      await restarted.promise;
      throw new Error("this process is dead");
    };
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
    await store.turns.finishTurn({ turnId: turn.id, fence: turn.fence, state: "done", messages: [], outbox: [answer] });
    await died.promise;
    store.outbox.settleSend = settleSend;
    platform.fail("edit", LIMITED);
    platform.fail("edit", refusal("PLATFORM_NOT_FOUND"));
    await using _next = deliveryTo(parts.adapter);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await store.outbox.head(KEY)).toBeNull();
    });
    restarted.resolve();
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One, two", NOTICE, "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  test("an answer that was repeated whole, then refused its edit, is not said twice", async () => {
    parts.adapter.findSent = undefined;
    platform.fail("send", UNCERTAIN);
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    await growing.close();
    await finishRefused(turn, [LIMITED]);
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One, two", NOTICE, "One, two"]);
  });

  test("a lost answer is said below a notice though its process dies meanwhile", async () => {
    platform.onSent = () => {
      platform.onSent = () => {};
      throw UNCERTAIN;
    };
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    parts.adapter.findSent = async () => {
      throw refusal("PLATFORM_FORBIDDEN");
    };
    const { settleSend, leaveDraft } = store.outbox;
    const [died, restarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const die = async () => {
      died.resolve();
      await restarted.promise;
      throw new Error("this process is dead");
    };
    store.outbox.settleSend = die;
    store.outbox.leaveDraft = async (id) => {
      await leaveDraft(id);
      return die();
    };
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
    await store.turns.finishTurn({ turnId: turn.id, fence: turn.fence, state: "done", messages: [], outbox: [answer] });
    await died.promise;
    Object.assign(store.outbox, { settleSend, leaveDraft });
    await using _next = deliveryTo(parts.adapter);
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await store.outbox.head(KEY)).toBeNull();
    });
    restarted.resolve();
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One, two", NOTICE, "One, two"]);
  });

  test("an answer is not sent twice when its process dies while sending it anew", async () => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    const turn = await begun();
    platform.fail("edit", refusal("PLATFORM_FORBIDDEN"), 10);
    const { settleSend } = store.outbox;
    const [died, restarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    store.outbox.settleSend = async () => {
      died.resolve();
      await restarted.promise;
      throw new Error("this process is dead");
    };
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 15_000);
    await store.turns.finishTurn({ turnId: turn.id, fence: turn.fence, state: "done", messages: [], outbox: [answer] });
    await died.promise;
    store.outbox.settleSend = settleSend;
    await using _next = deliveryTo(parts.adapter);
    await vi.waitFor(async () => expect(await store.outbox.head(KEY)).toBeNull());
    restarted.resolve();
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
  });
});

describe("an answer whose platform cannot edit any more", () => {
  const LOST = new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the answer was lost" });

  beforeEach(() => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    parts.adapter.findSent = undefined;
  });

  const loseNextReply = () => {
    platform.onSent = () => {
      platform.onSent = () => {};
      throw LOST;
    };
  };

  test("an answer sent since it could not be edited, its reply lost, is sent once", async () => {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    await growing.close();
    parts.adapter.edit = undefined;
    loseNextReply();
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    await offer();
    expect(platform.textsIn("home")).toEqual(["One", "One, two", NOTICE, "One, two"]);
  });

  test("an answer that may be shown whole gets a notice when nothing can be edited", async () => {
    loseNextReply();
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One, two");
    await clock.advance(1_000);
    await growing.close();
    parts.adapter.edit = undefined;
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
  });

  test("an answer that can grow no more in its message is said whole anew", async () => {
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    parts.adapter.edit = undefined;
    growing.push(", two");
    await clock.advance(1_000);
    await growing.close();
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
  });
});

test("an answer stops growing in time, and is said whole once edits are refused", async () => {
  platform.capabilities = { ...platform.capabilities, edits: { minIntervalMs: 100, forMs: 60_000 } };
  const { turn } = await start(HOLDER);
  const growing = grow(turn);
  growing.push("One");
  await clock.advance(1_000);
  growing.push(", two");
  await clock.advance(50_000);
  expect(platform.textsIn("home")).toEqual(["One, two"]);
  await clock.advance(5_000);
  growing.push(", three");
  await clock.advance(5_000);
  expect(platform.textsIn("home")).toEqual(["One, two"]);
  await growing.close();
  for (const { id } of platform.messages) platform.uneditable.add(id);
  await finish(turn, "One, two, three");
  expect(platform.textsIn("home")).toEqual(["One, two", "One, two, three"]);
});

test("an edit whose answer was lost is made again, since it says the same", async () => {
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
  platform.lacks = ["findSent"];
  const { turn } = await start(HOLDER);
  const growing = grow(turn);
  growing.push("One");
  await clock.advance(1_000);
  await growing.close();
  platform.fail("edit", new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "it is cut off" }));
  const { id: turnId, fence } = turn;
  const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
  await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
  await store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [answer] });
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(await store.outbox.head(KEY)).toBeNull();
  });
  expect(platform.textsIn("home")).toEqual(["One, two"]);
});

describe("an answer completes what was shown of it", () => {
  const lostAnswer = () => {
    platform.onSent = () => {
      platform.onSent = () => {};
      throw new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the connection was cut" });
    };
  };

  async function growTo(turn: Turn) {
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    growing.push(", two");
    await growing.close();
    await finish(turn, "One, two");
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  }

  test("edits the streamed message even if the reply to the first send was lost", async () => {
    lostAnswer();
    await growTo((await start(HOLDER)).turn);
  });

  test("edits the streamed message, without lookup, where sends are idempotent", async () => {
    parts.adapter.findSent = undefined;
    lostAnswer();
    await growTo((await start(HOLDER)).turn);
  });

  test.each([
    ["be looked up", true],
    ["be sent once more under its key", false],
  ])("edits the streamed message even if it can %s only after a while", async (_, isFound) => {
    platform.capabilities = { ...platform.capabilities, idempotentSend: !isFound };
    const { findSent } = parts.adapter;
    const away = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" });
    let lookups = 2;
    parts.adapter.findSent = async (...asked) => {
      if (lookups-- > 0) throw away;
      return (await findSent?.call(parts.adapter, ...asked)) ?? null;
    };
    if (!isFound) parts.adapter.findSent = undefined;
    lostAnswer();
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    growing.push(", two");
    if (!isFound) platform.fail("send", away, 2);
    await growing.close();
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
    await store.turns.finishTurn({ turnId: turn.id, fence: turn.fence, state: "done", messages: [], outbox: [answer] });
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await store.outbox.head(KEY)).toBeNull();
    });
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  });

  test("the streamed message is not edited if a new one may already have arrived", async () => {
    parts.adapter.findSent = undefined;
    lostAnswer();
    const { turn } = await start(HOLDER);
    const growing = grow(turn);
    growing.push("One");
    await clock.advance(1_000);
    await growing.close();
    // The first message is refused a second time, and the word on the whole answer is lost.
    const { send } = parts.adapter;
    const keys: string[] = [];
    parts.adapter.send = async (to, piece, options) => {
      keys.push(options.key);
      if (keys.length === 1)
        throw new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "not now", hint: "" });
      const receipt = await send.call(parts.adapter, to, piece, options);
      if (keys.length > 2) return receipt;
      throw new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "the connection was cut" });
    };
    const answer = { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown: "One, two" } } as const;
    await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
    await store.turns.finishTurn({ turnId: turn.id, fence: turn.fence, state: "done", messages: [], outbox: [answer] });
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(await store.outbox.head(KEY)).toBeNull();
    });
    expect(keys).toEqual([draftKey(turn), keys[1], keys[1]]);
    expect(platform.textsIn("home")).toEqual(["One", "One, two"]);
  });

  test("edits the streamed message even if saving its id failed with STORE_BUSY", async () => {
    const { saveDraft } = store.outbox;
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    let failures = 1;
    store.outbox.saveDraft = async (draft) => {
      if (draft.messageId !== null && failures-- > 0) throw busy;
      await saveDraft(draft);
    };
    await growTo((await start(HOLDER)).turn);
  });
});

test("formats a growing answer in proportion to its length, a section at a time", async () => {
  platform.capabilities = { ...platform.capabilities, textLimit: { length: 1_000_000, unit: "utf16" } };
  const { turn } = await start(HOLDER);
  const { render } = parts.adapter;
  const costs: number[] = [];
  for (const deltas of [400, 800, 6_400]) {
    let formatted = 0;
    parts.adapter.render = (message, root) => {
      formatted += message.markdown.length;
      return render.call(parts.adapter, message, root);
    };
    const growing = grow(turn);
    for (let at = 0; at < deltas; at++) {
      growing.push("twenty characters.\n\n");
      await clock.advance(20);
      // What is being shown is shown.
      await parts.delivery.exclusive(KEY, async () => {});
    }
    await growing.close();
    costs.push(formatted);
  }
  const [once = 0, twice = 0, often = 0] = costs;
  expect(once).toBeGreaterThan(8_000);
  expect(twice).toBeLessThanOrEqual(2 * once);
  expect(often).toBeLessThanOrEqual(2 * twice);
});
