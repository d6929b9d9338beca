import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { readCode } from "../../model/code.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock, otherwise: () => "Yes." }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const conversation = { platform: "pager", chatId: "7", kind: "dm" } as const;
const who = {
  ...{ platform: "pager", account: undefined, key: "eve", id: "eve", name: "Eve", conversation },
  surface: buildSessionKey(conversation),
};

test("hermes pass prints a code once, and hermes passes lists it without the code", async () => {
  const { id } = await bench.begin("plan");
  const { stdout } = await bench.hermes("pass", "plan", "--ttl", "2h");
  expect(stdout).toMatch(/^`[0-9A-Z]{4}-[0-9A-Z]{4}` gives “plan” once, within 2 h\. Send it to the bot/);
  expect((await bench.hermes("passes")).stdout).toBe("  1  plan  for you, within 2 h\n");
  expect((await bench.hermes("passes", "--json")).json()).toEqual({
    passes: [
      {
        ...{ number: 1, state: "open", sessionId: id, title: "plan", for: "operator", usedBy: null },
        expiresAt: clock.now() + 2 * 60 * 60_000,
      },
    ],
  });
});

test("a pass that is in use shows who has it, and revoking it takes the session away", async () => {
  const { id } = await bench.begin("plan");
  const { json } = await bench.hermes("pass", "--anyone", "--json");
  expect(json()).toMatchObject({ for: null, state: "open", title: "plan", sessionId: id });
  const code = readCode(json().pass) ?? "";
  const { store } = bench.host;
  await store.codes.redeem({ code, who, user: null, messageId: "1", mirrors: false, outbox: [] });
  expect((await bench.hermes("passes")).stdout).toContain("in use by Eve on pager (eve)");
  expect((await bench.hermes("passes", "revoke", "1")).stdout).toContain("Eve can no longer write in the session");
  expect(await store.bindings.get(who.surface)).toBeNull();
  expect((await bench.hermes("passes")).stdout).toContain("There is no pass.");
  const again = await bench.hermes("passes", "revoke", "1");
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no pass 1") });
});

test("hermes continue goes on with the session of a pass, once", async () => {
  await bench.begin("plan");
  const pass = (await bench.hermes("pass", "plan", "--json")).json().pass as string;
  const chat = bench.start(["continue", pass.toLowerCase()], { interactive: true });
  await chat.printed("plan");
  chat.type("/quit");
  expect(await chat.ended).toBe(0);
  for (const code of [pass, "nothing"]) {
    const refused = await bench.hermes("continue", code);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("This code is not valid.") });
  }
});

test("a pass that is typed alone in the chat is used, and is no message for the agent", async () => {
  await bench.begin("plan");
  const pass = (await bench.hermes("pass", "plan", "--json")).json().pass as string;
  const chat = bench.start([], { interactive: true });
  await chat.printed("/quit leaves");
  chat.type(pass);
  await chat.printed("You go on here with **plan**.");
  chat.type("/quit");
  expect(await chat.ended).toBe(0);
  expect(bench.model.requests).toEqual([]);
});
