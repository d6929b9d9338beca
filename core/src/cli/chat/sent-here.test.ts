import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { homeOf } from "../../model/place.ts";
import { OPERATOR, type Session } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);
const LINE = "“Plan” was sent here from pager: /resume Plan goes on with it";

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** A session that was used on the pager last. */
async function onPager(): Promise<Session> {
  const session = await bench.begin("Plan");
  await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: session.id, mirrors: false });
  await bench.exchange(session.id, "And now?", "It goes on.", KEY);
  return session;
}

async function openChat() {
  const chat = bench.start([], { interactive: true });
  await chat.printed("/help lists the commands");
  return chat;
}

async function leave(chat: Awaited<ReturnType<typeof openChat>>): Promise<void> {
  chat.type("/quit");
  await chat.ended;
}

test("an open terminal says at once what was sent here, until a terminal opens it", async () => {
  const { id } = await onPager();
  const chat = await openChat();
  const { code, stdout } = await bench.hermes("handoff", "Terminal", "-s", "Plan");
  expect([code, stdout]).toEqual([0, "It is in the terminal now: hermes resume Plan\n"]);
  await chat.printed(LINE);
  chat.type("/resume Plan");
  await chat.printed("It goes on.");
  await expect.poll(() => bench.host.store.handoffs.offeredToTerminal()).toEqual([]);
  await leave(chat);
  expect(chat.stderr().split(LINE)).toHaveLength(2);
  const next = await openChat();
  await leave(next);
  expect(next.stderr()).not.toContain("was sent here");
  expect((await bench.host.store.sessions.get(id))?.lastSurface).toBe("terminal");
});

test("the next terminal that opens says what was sent while none was open", async () => {
  await onPager();
  await bench.hermes("handoff", "terminal", "-s", "Plan");
  const chat = await openChat();
  await chat.printed(LINE);
  await leave(chat);
  const resumed = bench.start(["resume", "Plan"], { interactive: true });
  await resumed.printed("It goes on.");
  await expect.poll(() => bench.host.store.handoffs.offeredToTerminal()).toEqual([]);
  await leave(resumed);
  expect(resumed.stderr()).not.toContain("was sent here");
});

test("the place that a session left for the terminal is told, and its way is shown", async () => {
  await onPager();
  await bench.hermes("handoff", "terminal", "-s", "Plan");
  const { store } = bench.host;
  expect((await store.outbox.head(KEY))?.message.markdown).toBe("“Plan” goes on in the terminal.");
  expect((await bench.hermes("sessions", "show", "Plan")).stdout).toContain("pager → terminal");
  const { way } = (await bench.hermes("handoffs", "show", "Plan", "--json")).json();
  expect(way).toMatchObject([{ from: "pager", to: "terminal", state: "completed", error: null }]);
  const again = await bench.begin("The draft");
  const refused = await bench.hermes("handoff", "terminal", "-s", again.id);
  expect(refused.stderr).toContain("The session is in the terminal already.");
  expect(refused.stderr).toContain('`hermes resume "The draft"`');
});

/** A session that was to go to the pager by itself: the gateway has taken its handoff. */
async function goesAway() {
  const { id } = await bench.begin("Plan");
  const { store, holder } = bench.host;
  await store.away.set(id, { to: homeOf("pager"), restMs: 60_000, by: OPERATOR });
  await clock.advance(10);
  await bench.exchange(id, "And now?", "It goes on.");
  await store.leases.acquire("account:pager:", holder, 120_000);
  const [handoff] = await store.away.go({ platform: "pager", account: undefined }, holder, 60_000);
  if (handoff === undefined) throw new Error("it does not go");
  const fail = async () => {
    await store.handoffs.claimHandoff(handoff.id, holder, 15_000);
    const error = { code: "PLATFORM_UNAVAILABLE", text: "pager cannot be reached. Look at it." } as const;
    expect(await store.handoffs.failHandoff(handoff.id, holder, error)).toBe(true);
  };
  return { id, handoff, fail };
}

test("why a session did not go by itself is said once, by the next terminal", async () => {
  const { id, fail } = await goesAway();
  await fail();
  const told =
    "“Plan” should have gone to pager by itself, but did not. pager cannot be reached. Look at it. " +
    `Away is off now: \`hermes away pager --session ${id}\` sets it again.`;
  const chat = await openChat();
  await chat.printed(told);
  expect(await bench.host.store.away.get(id)).toBeNull();
  await leave(chat);
  expect(chat.stderr().split(told)).toHaveLength(2);
  const next = await openChat();
  await leave(next);
  expect(next.stderr()).not.toContain("was to go");
});

test("why a session did not go by itself is said at once where it is open", async () => {
  const { fail, handoff } = await goesAway();
  const chat = bench.start(["resume", "Plan"], { interactive: true });
  await chat.printed("This session is being handed off");
  await fail();
  await chat.printed("should have gone to pager by itself, but did not. pager cannot be reached.");
  expect(await bench.host.store.handoffs.taken(handoff.id)).toBe(false);
  await leave(chat);
});

test("a handoff that no gateway took in time is reported; a cancelled one is not", async () => {
  const { id, handoff } = await goesAway();
  await clock.advance(61_000);
  const chat = bench.start(["resume", "Plan"], { interactive: true });
  await chat.printed("No gateway took the handoff within 60 s. Look at `hermes status`");
  await leave(chat);
  expect((await bench.host.store.handoffs.get(handoff.id))?.state).toBe("failed");
  await bench.host.store.sessions.delete(id);
  const other = await goesAway();
  expect(await bench.host.store.handoffs.cancelHandoff(other.handoff.id)).toBe(true);
  expect(await bench.host.store.handoffs.offeredToTerminal()).toEqual([]);
});

test("hermes places lists each place with what to type and who reads it", async () => {
  const room = { platform: "pager", chatId: "9", kind: "group", account: "work" } as const;
  const { store, holder } = bench.host;
  const home = { chatId: "7", name: "Ada", kind: "dm", key: KEY } as const;
  const pager = { platform: "pager", health: { state: "up" }, standby: false, takesHandoffs: true, home } as const;
  await store.gateways.heartbeat({ id: "gw_1", holder, startedAt: 1, configPath: null, platforms: [pager] });
  const key = buildSessionKey(room);
  await store.places.note({ key, conversation: room, name: "#gen\u202eeral", word: "heard", person: null });
  const { stdout } = await bench.hermes("places");
  expect(stdout.split("\n").slice(0, 2)).toEqual(["terminal", "pager  home channel “Ada”, private"]);
  expect(stdout).toMatch(/pager:work\/#gen.*eral {2}others read it, used just now/);
  expect(stdout).not.toContain("\u202e");
  const { places } = (await bench.hermes("places", "list", "--json")).json();
  expect(places).toMatchObject([
    { type: "terminal", kind: "terminal" },
    { type: "pager", kind: "home", isShared: false, account: null },
    { kind: "heard", platform: "pager", account: "work", isShared: true, lastUsedAt: clock.now() },
  ]);
});
