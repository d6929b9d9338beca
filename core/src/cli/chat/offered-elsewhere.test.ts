import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);
const CTRL_G = "\x07";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** A session that the operator has just used on a platform. */
async function usedOnPager(title = "plan"): Promise<SessionId> {
  const { store } = bench.host;
  const { id } = await store.sessions.create({ title, user: OPERATOR, origin: KEY, originChat: KEY });
  await store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: id, mirrors: false });
  await bench.exchange(id, "sow it", "it is sown", KEY);
  return id;
}

async function texts(id: SessionId): Promise<string[]> {
  return (await bench.host.store.transcripts.read(id)).map(({ text }) => text).filter((text) => text !== "");
}

test("a terminal offers what was used on a platform, and Ctrl-G keeps what is typed", async () => {
  const id = await usedOnPager();
  bench.model.push("Watered.");
  const chat = bench.start([], { interactive: true });
  await chat.printed("plan · on pager, just now · Ctrl-G (or /continue) goes on with it");
  chat.press("and wa");
  chat.press(CTRL_G);
  await chat.printed("it is sown");
  chat.type("ter it");
  await chat.printed("Watered.");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(await texts(id)).toEqual(["sow it", "contents", "it is sown", "and water it", "Watered."]);
  expect(await bench.host.store.sessions.count()).toBe(1);
});

test("a terminal offers nothing where the config has continuity off", async () => {
  writeFileSync(join(bench.home, "hermes.config.json"), '{ "continuity": "off" }', { mode: 0o600 });
  await usedOnPager();
  const chat = bench.start([], { interactive: true });
  await chat.printed("/help lists the commands");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(chat.stdout() + chat.stderr()).not.toContain("goes on with it");
});

test("the terminal offers first what was sent to it", async () => {
  const id = await usedOnPager("sent");
  await bench.host.store.handoffs.toTerminal({ sessionId: id, from: KEY });
  await usedOnPager("later");
  const chat = bench.start([], { interactive: true });
  await chat.printed("sent · in the terminal, just now · Ctrl-G");
  chat.press(CTRL_G);
  await chat.printed("You go on here with **sent**.");
  await expect.poll(() => bench.host.store.handoffs.offeredToTerminal()).toEqual([]);
  chat.end();
  expect(await chat.ended).toBe(0);
});

test("/continue behind the first message takes it along, and it is answered there", async () => {
  const id = await usedOnPager();
  bench.model.push("How is what?", "Sown.");
  const chat = bench.start([], { interactive: true });
  await chat.printed("Ctrl-G (or /continue)");
  chat.type("how is it?");
  await chat.printed("How is what?");
  chat.type("/continue");
  await chat.printed("You go on here with **plan**.");
  await chat.printed("Sown.");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(await texts(id)).toEqual(["sow it", "contents", "it is sown", "how is it?", "Sown."]);
  const request = bench.model.requests.at(-1)?.messages.at(-1);
  expect(request).toMatchObject({ role: "user", text: "how is it?" });
});

test("a named session, a pipe, a late hour and another terminal bring no offer", async () => {
  const id = await usedOnPager();
  const named = bench.start(["resume", "plan"], { interactive: true });
  await named.printed("it is sown");
  bench.model.push("Hello.", "Hello.");
  const piped = bench.start([]);
  piped.type("hello");
  piped.end();
  await piped.ended;
  expect((await bench.hermes("chat", "-q", "hello")).stderr).not.toContain("goes on with it");
  await bench.exchange(id, "dig it", "dug");
  const beside = bench.start([], { interactive: true });
  await beside.printed("/help lists the commands");
  await usedOnPager("later");
  await clock.advance(31 * 60_000);
  const late = bench.start([], { interactive: true });
  await late.printed("/help lists the commands");
  for (const chat of [named, beside, late]) chat.end();
  await Promise.all([named.ended, beside.ended, late.ended]);
  for (const chat of [named, piped, late]) expect(chat.stdout() + chat.stderr()).not.toContain("goes on with it");
});
