import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, type Gate, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chatOf } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { ServedPlatform } from "../../model/gateway-row.ts";
import type { Handoff } from "../../model/handoff.ts";
import { accountLease } from "../../store/work-stores.ts";
import { createTestBench } from "../test-bench.ts";

const THREAD = { platform: "pager", chatId: "7", kind: "dm", threadId: "1" } as const;
const KEY = buildSessionKey(THREAD);
const CTRL_C = "\u0003";
const HOME = { chatId: "7", kind: "dm", key: buildSessionKey(chatOf(THREAD)) } as const;

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let held: Gate;
beforeEach(async () => {
  bench = await openBench();
  held = gate();
  writeFileSync(join(bench.folder, "a.txt"), "1\n");
});
afterEach(() => bench[Symbol.asyncDispose]());

async function serve(home: NonNullable<ServedPlatform["home"]> = HOME): Promise<void> {
  const { store, holder } = bench.host;
  const pager = { platform: "pager", health: { state: "up" }, standby: false, takesHandoffs: true, home } as const;
  await store.gateways.heartbeat({ id: "gw_1", holder, startedAt: 1, configPath: null, platforms: [pager] });
  await store.leases.acquire(accountLease("pager", undefined), holder, 60_000);
  const grants = { operators: [], allowedUsers: [], allowedBots: [], home: { chatId: home.chatId, chat: home.key } };
  const pagerAccount = { platform: "pager", account: undefined };
  await store.grants.publish({ ...pagerAccount, ...grants }, holder);
  const { chatId, key: chat, kind } = home;
  const seen = { home: chatId, chat, name: null, isPrivate: kind === "dm", present: ["ada"] };
  await store.homePeople.set({ ...pagerAccount, ...seen }, "ada", "terminal");
}

/** A chat whose agent is about to read a file; `/handoff pager` was typed meanwhile. */
async function movingChat(command = "/handoff Pager") {
  const read = { name: "read", input: { path: "a.txt" } };
  bench.model.push([{ say: "I look. " }, { hold: held }, { call: [read] }, { say: "It is one." }]);
  const chat = bench.start([], { interactive: true });
  await chat.printed("/help lists the commands");
  chat.type("look");
  await held.reached;
  chat.type(command);
  return chat;
}

async function latest(): Promise<Handoff> {
  const [handoff] = await bench.host.store.handoffs.list({ limit: 1 });
  if (handoff === undefined) throw new Error("nothing was asked for");
  return handoff;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  await expect.poll(isSo).toBe(true);
}

test("the turn is parked at its next step, the session moves, and the chat ends", async () => {
  await serve();
  const chat = await movingChat();
  await chat.printed("It moves to pager at the next step");
  held.open();
  const { store, holder } = bench.host;
  await until(async () => !(await latest()).waitsForTurn);
  const { id, sessionId } = await latest();
  expect(await store.handoffs.claimHandoff(id, holder, 15_000)).toBe(true);
  await store.handoffs.advanceHandoff(id, holder, "threaded", { conversation: THREAD, place: "pager › Ada › look" });
  const message = { role: "user", text: "unused", internal: true } as const;
  await store.handoffs.bindHandoff({ id, holder, key: KEY, conversation: THREAD, mirrors: false, message, outbox: [] });
  await store.handoffs.completeHandoff(id, holder);
  await clock.advance(1_000);
  expect(await chat.ended).toBe(0);
  expect(chat.stdout()).toContain("It is at pager › Ada › look.");
  const [turn] = await store.turns.resumable({ platform: "pager", account: undefined });
  expect(turn).toMatchObject({ sessionId, surface: KEY, state: "waiting" });
  expect((await store.transcripts.read(sessionId)).map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the chat stays open with --stay on a session that moved in mid-turn", async () => {
  await serve();
  const chat = await movingChat("/handoff Pager --stay");
  await chat.printed("It moves to pager at the next step");
  held.open();
  const { store, holder } = bench.host;
  await until(async () => !(await latest()).waitsForTurn);
  const { id } = await latest();
  expect(await store.handoffs.claimHandoff(id, holder, 15_000)).toBe(true);
  await store.handoffs.advanceHandoff(id, holder, "threaded", { conversation: THREAD, place: "pager › Ada › look" });
  const message = { role: "user", text: "unused", internal: true } as const;
  await store.handoffs.bindHandoff({ id, holder, key: KEY, conversation: THREAD, mirrors: false, message, outbox: [] });
  await store.handoffs.completeHandoff(id, holder);
  await clock.advance(1_000);
  await chat.printed("Go on there, or here: messages from there are shown here as they are written.");
  const [turn] = await store.turns.resumable({ platform: "pager", account: undefined });
  if (turn === undefined) throw new Error("no turn was taken along");
  await bench.host.runner.resume({ turnId: turn.id });
  await chat.printed("It is one.");
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("Ctrl-C takes the request back, and the turn goes on", async () => {
  await serve();
  const chat = await movingChat();
  await chat.printed("It moves to pager");
  chat.press(CTRL_C);
  await chat.printed("Not handed off: the turn goes on here.");
  held.open();
  await chat.printed("It is one.");
  expect(await latest()).toMatchObject({ state: "failed", error: { code: "HANDOFF_CANCELLED" } });
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("the second Ctrl-C stops the turn", async () => {
  await serve();
  const chat = await movingChat();
  await chat.printed("It moves to pager");
  chat.press(CTRL_C);
  await chat.printed("Ctrl-C again stops it");
  chat.press(CTRL_C);
  await chat.printed("Stopped; what was said so far is kept.");
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("a turn that nobody came for goes on where it was", async () => {
  await serve();
  const chat = await movingChat();
  await chat.printed("It moves to pager");
  held.open();
  await until(async () => !(await latest()).waitsForTurn);
  await clock.advance(61_000);
  await chat.printed("It is one.");
  expect(chat.stderr()).toContain("No gateway took the handoff");
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("where others would read it, nothing moves before they are named and confirmed", async () => {
  await serve({ chatId: "8", kind: "group", name: "The square", key: HOME.key, shared: true });
  const chat = await movingChat();
  await chat.printed("Everybody in The square would read it");
  expect(await bench.host.store.handoffs.list({ limit: 1 })).toEqual([]);
  held.open();
  await chat.printed("It is one.");
  chat.end();
  expect(await chat.ended).toBe(0);
});
