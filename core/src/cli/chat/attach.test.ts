import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }), hasPager: true });
let bench: Awaited<ReturnType<typeof openBench>>;
let id: SessionId;

beforeEach(async () => {
  bench = await openBench();
  ({ id } = await bench.begin("plan"));
  await bench.exchange(id, "one", "1");
  await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: id, mirrors: false });
});

afterEach(() => bench[Symbol.asyncDispose]());

function asked(text: string) {
  const message = { role: "user", text, surface: KEY } as const;
  const cause = { kind: "terminal" } as const;
  return bench.host.runner.run({ sessionId: id, cause, surface: KEY, message, tools: false });
}

async function isViewed(): Promise<void> {
  const { store } = bench.host;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async () => {
    if ((await store.views.of(id)).length > 0) resolve();
  };
  using _watch = store.watch(() => void look());
  await look();
  await promise;
}

test("attach shows a turn that runs elsewhere, and goes on when one writes", async () => {
  const [held, more] = [gate(), gate()];
  bench.model.push(
    [{ say: "The boats " }, { hold: held }, { say: "leave" }, { hold: more }, { say: " at noon." }],
    "Ok.",
  );
  const turn = asked("when?");
  await held.reached;
  const chat = bench.start(["attach", "plan"], { interactive: true });
  await chat.printed("on pager: thinking");
  await isViewed();
  held.open();
  await more.reached;
  await clock.advance(400);
  await chat.printed("The boats leave");
  chat.type("and back?");
  await chat.printed("waiting for the turn that runs on pager");
  more.open();
  await turn;
  await clock.advance(1_000);
  await chat.printed("Ok.");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(chat.stdout()).toContain("The boats leave at noon.\n");
});

test("attach --read-only shows what is said and writes nothing, until Ctrl-C", async () => {
  bench.model.push("At noon.");
  const chat = bench.start(["attach", "plan", "--read-only"], { interactive: true });
  await chat.printed("You see what is said here, and can write nothing.");
  await isViewed();
  chat.type("when?");
  await asked("and then?");
  await chat.printed("── on pager ──\n› and then?\nAt noon.\n");
  chat.press("\x03");
  expect(await chat.ended).toBe(0);
  expect(await bench.host.store.views.of(id)).toEqual([]);
  expect(bench.model.requests).toHaveLength(1);
});

test("attach --read-only follows a session in a pipe without a single colour", async () => {
  bench.model.push("**At** noon.");
  const run = bench.start(["attach", "plan", "--read-only"], { interactive: false });
  await run.printed("one");
  await isViewed();
  await asked("and then?");
  await run.printed("noon.");
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
  expect(run.stdout()).toContain("── on pager ──\n› and then?\n");
});

test("attach shows the steps of a handoff instead of refusing, and stays", async () => {
  const { store } = bench.host;
  const handoff = await bench.requestHandoff(id);
  const chat = bench.start(["attach", "plan"], { interactive: true });
  await chat.printed("This session is being handed off");
  const by = { ...bench.host.holder, role: "gateway" } as const;
  expect(await store.handoffs.claimHandoff(handoff.id, by, 15_000)).toBe(true);
  await clock.advance(1_000);
  await chat.printed("taken by the gateway");
  await store.handoffs.failHandoff(handoff.id, by, { code: "INTERNAL", text: "no" });
  await clock.advance(1_000);
  await chat.printed("failed");
  bench.model.push("Still here.");
  chat.type("are you there?");
  await chat.printed("Still here.");
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("after /handoff --stay, the open chat shows what is said there", async () => {
  const { store, holder } = bench.host;
  const home = { chatId: "7", kind: "dm", key: KEY } as const;
  const pager = { platform: "pager", health: { state: "up" }, standby: false, takesHandoffs: true, home } as const;
  await store.gateways.heartbeat({ id: "gw_1", holder, startedAt: 1, configPath: null, platforms: [pager] });
  const thread = { ...CHAT, threadId: "1" };
  const key = buildSessionKey(thread);
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await isViewed();
  chat.type("/handoff Pager --stay");
  await expect.poll(async () => (await store.handoffs.list({ limit: 1 })).length).toBe(1);
  const [handoff] = await store.handoffs.list({ limit: 1 });
  if (handoff === undefined) throw new Error("nothing was asked for");
  expect(await store.handoffs.claimHandoff(handoff.id, holder, 15_000)).toBe(true);
  await store.handoffs.advanceHandoff(handoff.id, holder, "threaded", { conversation: thread, place: "pager › plan" });
  const message = { role: "user", text: "unused", internal: true } as const;
  const bound = { key, conversation: thread, mirrors: false, message, outbox: [] };
  await store.handoffs.bindHandoff({ id: handoff.id, holder, ...bound });
  const begin = { sessionId: id, holder, surface: key, leaseMs: 15_000, message: null } as const;
  const asked = await store.turns.startTurn({ ...begin, cause: { kind: "handoff", handoffId: handoff.id } });
  if (!asked.ok) throw new Error(asked.reason);
  const { turn, fence } = asked;
  await store.turns.noteText(turn.id, fence, "We stand");
  await chat.printed("We stand");
  const messages = [{ role: "assistant", text: "We stand at noon." }] as const;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  await store.handoffs.completeHandoff(handoff.id, holder);
  await clock.advance(1_000);
  await chat.printed("Go on there, or here: messages from there are shown here as they are written.");
  await chat.printed("── on pager, in a thread ──\nWe stand at noon.\n");
  bench.model.push("At noon.", "And back.");
  const said = { role: "user", text: "when?", surface: key } as const;
  const cause = { kind: "terminal" } as const;
  await bench.host.runner.run({ sessionId: id, cause, surface: key, message: said, tools: false });
  await chat.printed("› when?\nAt noon.\n");
  chat.type("and back?");
  await chat.printed("And back.");
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("--stay is refused where there is no chat that could stay open", async () => {
  const { code, stderr } = await bench.hermes("handoff", "pager", "-s", "plan", "--stay");
  expect(code).toBe(2);
  expect(stderr).toContain("`hermes attach");
});
