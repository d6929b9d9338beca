import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { accountLease } from "../../store/work-stores.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

async function writes(text: string): Promise<void> {
  const message = { conversation: CHAT, messageId: text, sender: { id: "ada" }, text, sentAt: clock.now() };
  await bench.host.store.inbox.acceptInbound(KEY, message);
}

describe("hermes lanes", () => {
  test("shows what waits in each conversation, since when, and the reason", async () => {
    expect((await bench.hermes("lanes")).stdout).toBe("No message waits.\n");
    const { id } = await bench.begin("plan\u202e");
    await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: id, mirrors: false });
    await writes("one");
    await clock.advance(180_000);
    await writes("two");
    const { stdout } = await bench.hermes("lanes");
    expect(stdout).toMatch(/^plan.* on pager: 2 messages in, the oldest for 3 min\n/);
    expect(stdout).toContain("No gateway serves pager: `hermes gateway` starts one.");
    expect(stdout).not.toContain("\u202e");

    const { store, holder } = bench.host;
    await store.leases.acquire(accountLease("pager", undefined), holder, 15_000);
    const { lanes, total } = (await bench.hermes("lanes", "--json")).json();
    expect([total, lanes]).toEqual([
      1,
      [
        {
          ...{ key: KEY, platform: "pager", account: null, chatId: "7", threadId: null, place: "on pager" },
          ...{ sessionId: id, title: "plan", in: { count: 2, oldestAt: clock.now() - 180_000 }, out: null },
          holder: { role: "terminal", pid: process.pid, machine: expect.any(String), process: "alive" },
          ...{ waitsFor: "next", because: "It is next.", retryAt: null, error: null },
        },
      ],
    ]);
  });

  test("counts the conversations beyond those it shows", async () => {
    await writes("one");
    const at = { ...CHAT, chatId: "8" };
    await bench.host.store.outbox.enqueue([
      { key: buildSessionKey(at), conversation: at, message: { kind: "notice", markdown: "x" } },
    ]);
    const { stdout, stderr } = await bench.hermes("lanes", "--limit", "1");
    expect([stdout.match(/on pager/g), stderr]).toEqual([["on pager"], expect.stringContaining("There are 2")]);
  });
});

describe("hermes leases", () => {
  test("names the holder of each lease, since when, and until when", async () => {
    expect((await bench.hermes("leases")).stdout).toBe("No process holds anything.\n");
    const { store, holder } = bench.host;
    await store.leases.acquire(accountLease("pager", "work"), holder, 15_000);
    const { id } = await bench.begin("plan");
    await bench.host.store.turns.startTurn({
      ...{ sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000 },
      message: { role: "user", text: "a question" },
    });
    await clock.advance(5_000);
    const { stdout } = await bench.hermes("leases");
    const by = `terminal, pid ${process.pid}, for 5 s, 10 s left unless it renews`;
    expect(stdout).toBe(`pager:work: ${by}\na turn of “plan”: ${by}\n`);

    const { leases } = (await bench.hermes("leases", "--json")).json();
    expect(leases).toMatchObject([
      { kind: "account", platform: "pager", account: "work", ageMs: 5_000, isLive: true, sessionId: null },
      { kind: "turn", sessionId: id, title: "plan", holder: { pid: process.pid, process: "alive" } },
    ]);
    await clock.advance(60_000);
    expect((await bench.hermes("leases")).stdout).toContain("expired 50 s ago");
  });
});
