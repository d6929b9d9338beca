import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chatOf } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { ServedPlatform } from "../../model/gateway-row.ts";
import type { Handoff } from "../../model/handoff.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";
import { runCli } from "../program.ts";
import { createTestBench } from "../test-bench.ts";
import { createTestTerminal } from "../test-terminal.ts";

const THREAD = { platform: "pager", chatId: "7", kind: "dm", threadId: "1" } as const;
const KEY = buildSessionKey(THREAD);
const LINK = "https://pager.example/7/1";
const HOME: NonNullable<ServedPlatform["home"]> = {
  chatId: "7",
  kind: "dm",
  key: buildSessionKey(chatOf(THREAD)),
};

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** A gateway that serves the pager, as its heartbeat tells. */
async function serve(home = HOME, platform = "pager", more: Partial<ServedPlatform> = {}): Promise<void> {
  const { store, holder, clock } = bench.host;
  await store.gateways.heartbeat({
    id: "gw_1",
    holder,
    startedAt: clock.now(),
    configPath: null,
    platforms: [
      {
        platform,
        health: { state: "up" },
        standby: false,
        takesHandoffs: true,
        home,
        ...more,
      },
    ],
  });
}

/** A gateway that stands by, while the one that had the pager is gone. */
function standBy(): Promise<void> {
  const detail = "Another gateway serves it; this one stands by.";
  return serve(HOME, "pager", { home: null, standby: true, health: { state: "down", detail } });
}

/** The handoff that was asked for, as soon as it is there. */
async function asked(): Promise<Handoff> {
  const { store } = bench.host;
  for (;;) {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    using _watching = store.watch(resolve);
    const [handoff] = await store.handoffs.listPendingHandoffs();
    if (handoff) return handoff;
    await changed;
  }
}

/** Does what a gateway does with a handoff, up to the answer. */
async function carry({ id, sessionId }: Handoff): Promise<void> {
  const { store, holder } = bench.host;
  await store.handoffs.claimHandoff(id, holder, 15_000);
  await bench.clock.advance(40);
  await store.handoffs.advanceHandoff(id, holder, "threaded", {
    ...{ conversation: THREAD, place: "pager › Ada › my plan", link: LINK },
  });
  const message = { role: "user", text: "Say where things stand.", internal: true, surface: KEY } as const;
  await store.handoffs.bindHandoff({ id, holder, key: KEY, conversation: THREAD, mirrors: false, message, outbox: [] });
  const cause = { kind: "handoff", handoffId: id } as const;
  const started = await store.turns.startTurn({
    sessionId,
    holder,
    cause,
    surface: KEY,
    leaseMs: 15_000,
    message: null,
  });
  if (!started.ok) throw new Error(started.reason);
  const { turn, fence } = started;
  const messages = [{ role: "assistant", text: "All is well." }] as const;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  await store.handoffs.advanceHandoff(id, holder, "delivered");
  await store.handoffs.completeHandoff(id, holder);
}

describe("hermes handoff", () => {
  test("shows each step with its time, the link, and how to come back", async () => {
    await bench.begin("my plan");
    await serve();
    const run = bench.start(["handoff", "Pager", "--session", "my plan"]);
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toMatch(/taken by the gateway\s+0 ms\n.*place opened\s+40 ms\n.*session bound/);
    expect(run.stdout()).toContain("It is at pager › Ada › my plan.");
    expect(run.stdout()).toContain(LINK);
    expect(run.stdout()).toContain('To come back: hermes resume "my plan"');
  });

  test("names a session by its id on the way back where somebody else has its title", async () => {
    const { id } = await bench.begin("my plan");
    await bench.begin("My plan", "pager:ada" as UserId);
    await serve();
    const run = bench.start(["handoff", "Pager", "--session", id]);
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toContain(`To come back: hermes resume ${id}`);
  });

  test("the line that brings a session back begins with npx where only that works", async () => {
    await bench.begin("my plan");
    await serve();
    const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder });
    const io = { ...terminal.io, hermesCall: () => "npx hermes-handoff" };
    const ended = runCli(["handoff", "Pager", "--session", "my plan"], { io, override: bench.override });
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await ended).toBe(0);
    expect(terminal.stdout()).toContain('To come back: npx hermes-handoff resume "my plan"');
  });

  test("hermes handoff --json prints the stored link and nothing else", async () => {
    const session = await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "--session", "plan", "--json"]);
    const handoff = await asked();
    await carry(handoff);
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(0);
    expect(JSON.parse(run.stdout())).toEqual({
      handoffId: handoff.id,
      sessionId: session.id,
      platform: "pager",
      state: "completed",
      step: "delivered",
      conversation: THREAD,
      place: "pager › Ada › my plan",
      link: LINK,
      error: null,
    });
    expect(run.stderr()).toBe("");
  });

  test("errors of hermes handoff --json have one shape: failed, refused, never made", async () => {
    const session = await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "-s", "plan", "--json"]);
    const { id } = await asked();
    const { store, holder } = bench.host;
    await store.handoffs.claimHandoff(id, holder, 15_000);
    await store.handoffs.failHandoff(id, holder, { code: "HANDOFF_CANCELLED", text: "No luck." });
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(1);
    const none = {
      handoffId: null,
      sessionId: null,
      platform: "pager",
      state: null,
      step: null,
      link: null,
      conversation: null,
      place: null,
    };
    expect(JSON.parse(run.stdout())).toEqual({
      ...{ ...none, handoffId: id, sessionId: session.id, state: "failed", step: "claimed" },
      error: { code: "HANDOFF_CANCELLED", message: "No luck.", hint: "Your session is here, unchanged." },
    });
    const [message, hint] = [expect.any(String), expect.any(String)];
    expect((await bench.hermes("handoff", "telepathy", "-s", "plan", "--json")).json()).toEqual({
      ...{ ...none, sessionId: session.id, platform: "telepathy" },
      error: { code: "HANDOFF_PLATFORM_UNKNOWN", message, hint },
    });
    expect((await bench.hermes("handoff", "pager", "-s", "nowhere", "--json")).json()).toEqual({
      ...none,
      error: { code: "SESSION_UNKNOWN", message, hint },
    });
    expect((await bench.hermes("handoff", "--json")).json()).toEqual({
      ...{ ...none, platform: null },
      error: { code: "USAGE", message, hint },
    });
  });

  test("the session last used in the folder goes where none is named", async () => {
    await serve();
    const refused = await bench.hermes("handoff", "pager", "--no-wait", "--json");
    expect(refused.json()).toMatchObject({ error: { code: "USAGE" } });
    const begun = { title: "plan", user: OPERATOR, origin: "terminal", originChat: null } as const;
    const { id } = await bench.host.store.sessions.create({ ...begun, workingDirectory: bench.folder });
    const { json } = await bench.hermes("handoff", "pager", "--no-wait", "--json");
    expect(json()).toMatchObject({ state: "pending", sessionId: id });
  });

  test("--no-wait requests the handoff and does not wait for it", async () => {
    await bench.begin("plan");
    await serve();
    const { code, json } = await bench.hermes("handoff", "pager", "-s", "plan", "--no-wait", "--ttl", "5", "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({ state: "pending" });
    const { requestedAt, expiresAt } = await asked();
    expect(expiresAt - requestedAt).toBe(5_000);
  });

  test("hermes handoff exits with 3 when no gateway claims the request", async () => {
    await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "-s", "plan", "--ttl", "5", "--json"]);
    const { id } = await asked();
    for (let second = 0; second < 7; second++) await bench.clock.advance(1_000);
    expect(await run.ended).toBe(3);
    const document = JSON.parse(run.stdout());
    expect(document).toMatchObject({ handoffId: id, state: "failed", error: { code: "HANDOFF_NOT_CLAIMED" } });
  });

  test("a failure says why, and that the session is here", async () => {
    await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    const { id } = await asked();
    const { store, holder } = bench.host;
    await store.handoffs.claimHandoff(id, holder, 15_000);
    await store.handoffs.failHandoff(id, holder, {
      code: "HANDOFF_THREAD_REQUIRED",
      text: "No thread on pager: full.",
    });
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("No thread on pager: full.\nFix that");
    expect(run.stdout()).toContain("Your session is here, unchanged.");
  });

  test("Ctrl-C cancels one that waits", async () => {
    const session = await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    await asked();
    run.signal("SIGINT");
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("The handoff was cancelled.");
    expect((await bench.host.store.handoffs.latestOf(session.id))?.state).toBe("failed");
  });

  test("Ctrl-C lets go of one that runs", async () => {
    const session = await bench.begin("plan");
    await serve();
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    const { id } = await asked();
    const { store, holder } = bench.host;
    await store.handoffs.claimHandoff(id, holder, 15_000);
    await run.printed("taken by the gateway");
    run.signal("SIGINT");
    expect(await run.ended).toBe(3);
    expect(run.stdout()).toContain(`It goes on by itself: \`hermes handoffs show ${id}\`.`);
    expect((await store.handoffs.latestOf(session.id))?.state).toBe("running");
  });

  test("waits for a gateway that takes the platform over, and then goes on", async () => {
    await bench.begin("plan");
    await standBy();
    const run = bench.start(["handoff", "pager", "-s", "plan", "--ttl", "9"]);
    await run.printed("waiting for a gateway to take over pager");
    await bench.clock.advance(3_000);
    await serve(HOME, "pager", { home: null, health: { state: "starting" } });
    await bench.clock.advance(1_000);
    await serve();
    await bench.clock.advance(1_000);
    const handoff = await asked();
    expect(handoff.expiresAt - handoff.requestedAt).toBeLessThanOrEqual(6_000);
    await carry(handoff);
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toContain(LINK);
  });

  test("waits for a plugin that has just failed, and says why if it stays down", async () => {
    const session = await bench.begin("plan");
    const health = { state: "down", detail: "its server answered 502" } as const;
    await serve(HOME, "pager", { home: null, health, isRecovering: true });
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    await run.printed("waiting until pager can be reached again");
    await serve(HOME, "pager", { home: null, health, isRecovering: false });
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("pager is not receiving: its server answered 502.");
    expect(await bench.host.store.handoffs.latestOf(session.id)).toBeNull();
  });

  test("tells what it waits for as that changes, and at the end of --ttl what is wrong", async () => {
    const session = await bench.begin("plan");
    await standBy();
    const run = bench.start(["handoff", "pager", "-s", "plan", "--ttl", "5"]);
    await run.printed("waiting for a gateway to take over pager");
    const health = { state: "down", detail: "its server answered 502" } as const;
    await serve(HOME, "pager", { health, isRecovering: true });
    await bench.clock.advance(1_000);
    await run.printed("waiting until pager can be reached again");
    await bench.clock.advance(3_500);
    await bench.clock.advance(500);
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("pager is not receiving: its server answered 502.");
    expect(await bench.host.store.handoffs.latestOf(session.id)).toBeNull();
  });

  test("waits for a gateway that runs and has not been heard of, and then goes on", async () => {
    await bench.begin("plan");
    await serve();
    await bench.clock.advance(15_001);
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    await run.printed("waiting for the gateway, which is running but has not responded");
    await serve();
    await bench.clock.advance(1_000);
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await run.ended).toBe(0);
    expect(run.stdout()).toContain(LINK);
  });

  test("hermes handoff exits with 3 when no gateway takes the platform in time", async () => {
    const session = await bench.begin("plan");
    await standBy();
    const run = bench.start(["handoff", "pager", "-s", "plan", "--ttl", "5"]);
    await run.printed("waiting for a gateway");
    await bench.clock.advance(4_500);
    await bench.clock.advance(500);
    expect(await run.ended).toBe(3);
    expect(run.stderr()).toContain("No gateway took the handoff within 5 s.");
    expect(await bench.host.store.handoffs.latestOf(session.id)).toBeNull();
  });

  test("Ctrl-C ends the wait for a platform that is taken over, and nothing is asked for", async () => {
    const session = await bench.begin("plan");
    await standBy();
    const run = bench.start(["handoff", "pager", "-s", "plan"]);
    await run.printed("waiting for a gateway");
    run.signal("SIGINT");
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("The handoff was cancelled.");
    expect(await bench.host.store.handoffs.latestOf(session.id)).toBeNull();
  });

  test("a handoff is refused at once if the platform's gateway reports it down", async () => {
    await bench.begin("plan");
    await serve(HOME, "pager", { home: null, health: { state: "down", detail: "The token is refused." } });
    const { code, stderr } = await bench.hermes("handoff", "pager", "-s", "plan");
    expect(code).toBe(1);
    expect(stderr).toContain("pager is not receiving: The token is refused.");
  });

  test("a home that others read is named, and has to be agreed to", async () => {
    await bench.begin("plan");
    await serve({ ...HOME, kind: "group", shared: true, name: "the team" });
    const refused = await bench.hermes("handoff", "pager", "-s", "plan");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("Everybody in the team would be able to read this session");
    expect(refused.stderr).toContain("hermes handoff pager -s plan --yes");

    const asking = bench.start(["handoff", "pager", "-s", "plan"], { interactive: true });
    await asking.printed("Everybody in the team will be able to read this session");
    asking.type("n");
    expect(await asking.ended).toBe(1);

    expect((await bench.hermes("handoff", "pager", "-s", "plan", "--yes", "--no-wait")).code).toBe(0);
  });
});

describe("/handoff in the chat", () => {
  test("hands the session off step by step, says how to come back, and leaves", async () => {
    bench.model.push("1");
    await serve();
    const chat = bench.start([], { interactive: true });
    chat.type("plan");
    await chat.printed("1\n");
    chat.type("/handoff pager");
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await chat.ended).toBe(0);
    expect(chat.stdout()).toContain("agent has answered");
    expect(chat.stdout()).toContain(LINK);
    expect(chat.stdout()).toContain("To come back: hermes resume plan");
  });

  test("creates a session for an empty chat", async () => {
    await serve();
    const chat = bench.start([]);
    chat.type("/handoff pager");
    await carry(await asked());
    await bench.clock.advance(1_000);
    expect(await chat.ended).toBe(0);
    expect(await bench.host.store.sessions.count()).toBe(1);
  });

  test("completes the served platforms, and the config's while no gateway runs", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press("/handoff \t");
    await chat.printed("/handoff pager");
    chat.press("\u0015");
    await serve(HOME, "telex");
    chat.press("/handoff \t");
    await chat.printed("/handoff telex");
    chat.press("\u0015");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("offers to start a gateway when none runs, and stays where nobody wants it", async () => {
    const chat = bench.start([], { interactive: true });
    chat.type("/handoff pager");
    await chat.printed("Start one now? (y/n)");
    chat.type("n");
    await chat.printed("Start one: `hermes gateway --detach`.");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
  });

  test("piped /handoff fails at once if no gateway is running", async () => {
    const chat = bench.start([]);
    chat.type("/handoff pager");
    chat.end();
    expect(await chat.ended).toBe(1);
    expect(chat.stderr()).toContain("No gateway is running");
  });

  test("waits for a gateway that takes the platform over; Ctrl-C ends the wait", async () => {
    bench.model.push("1");
    await standBy();
    const chat = bench.start([], { interactive: true });
    chat.type("/handoff pager");
    await chat.printed("waiting for a gateway to take over pager");
    chat.press("\u0003");
    await chat.printed("The handoff was cancelled.");
    chat.type("plan");
    await chat.printed("1\n");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("Ctrl-C cancels one that waits, and the chat goes on", async () => {
    bench.model.push("1");
    await serve();
    const chat = bench.start([], { interactive: true });
    chat.type("/handoff pager");
    await asked();
    chat.press("\u0003");
    await chat.printed("The handoff was cancelled.");
    chat.type("plan");
    await chat.printed("1\n");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("asks before a session goes where others read it", async () => {
    await serve({ ...HOME, kind: "group", shared: true, name: "the team" });
    const chat = bench.start([], { interactive: true });
    chat.type("/handoff pager");
    await chat.printed("Everybody in the team");
    chat.press("\u0003");
    await chat.printed("Not handed off.");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await bench.host.store.handoffs.list({ limit: 1 })).toEqual([]);
  });

  test("names the command to repeat where nobody is there to confirm", async () => {
    await serve({ ...HOME, kind: "group", shared: true, name: "the team" });
    const chat = bench.start([]);
    chat.type("/handoff pager");
    chat.end();
    await chat.ended;
    expect(chat.stderr()).toContain("/handoff pager yes");
    expect(await bench.host.store.handoffs.list({ limit: 1 })).toEqual([]);
  });
});
