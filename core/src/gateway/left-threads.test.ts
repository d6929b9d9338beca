import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it, vi } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { PlatformError } from "../base/errors.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { homeOf } from "../model/place.ts";
import { OPERATOR } from "../model/session.ts";

afterEach(disposeMachines);

const REFUSED = new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "no rights", hint: "Ask." });

const AWAY = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" });

/** A machine whose gateway died when a handoff had failed, right before it removed the thread. */
async function threadLeft() {
  const on = machine({ operators: ["person"] }, ["A plan.", "We stand at the plan."]);
  const dead = await on.gateway();
  const { store } = await on.terminal();
  vi.spyOn(dead.host.store.handoffs, "compensateHandoff").mockImplementation(async (...of) => {
    await store.handoffs.compensateHandoff(...of);
    dead.die();
    return new Promise(() => {});
  });
  on.platform.onCall = async (call) => {
    if (call === "send") throw REFUSED;
  };
  const sessionId = await terminalSession(dead.host);
  await requestHandoff(dead.host, { sessionId, to: homeOf("loopback") });
  await on.until(async () => (await store.handoffs.latestOf(sessionId))?.state === "failed");
  on.platform.onCall = async () => {};
  on.platform.listening.clear();
  expect(on.platform.threads).toHaveLength(1);
  const here = { platform: "loopback", account: undefined };
  return { ...on, store, isSettled: async () => (await store.handoffs.leftThreads(here)).length === 0 };
}

it("the next gateway removes the thread that a dead one left empty", async () => {
  const { platform, gateway, until, isSettled } = await threadLeft();
  await gateway();
  await until(isSettled);
  expect(platform.threads).toEqual([]);
});

it("an empty thread is removed once the platform can do it", async () => {
  const { platform, gateway, clock, until, isSettled } = await threadLeft();
  platform.fail("deleteThread", AWAY, 2);
  await gateway();
  await clock.advance(20_000);
  expect([platform.threads.length, await isSettled()]).toEqual([1, false]);
  await until(isSettled);
  expect(platform.threads).toEqual([]);
});

it("an empty thread stays where the platform refuses to remove it", async () => {
  const { platform, gateway, clock, until, isSettled } = await threadLeft();
  platform.fail("deleteThread", REFUSED);
  await gateway();
  await until(isSettled);
  await clock.advance(60_000);
  expect(platform.threads).toHaveLength(1);
});

it("a thread stays in which somebody wrote while no gateway ran", async () => {
  const { platform, gateway, clock, until, isSettled } = await threadLeft();
  const [thread] = platform.threads;
  await gateway();
  await clock.advance(3_000);
  await platform.write("Hello?", { threadId: thread?.id });
  await until(isSettled);
  expect(platform.threads).toEqual([thread]);
});

it("a thread stays in which somebody was told where the session is", async () => {
  const { platform, gateway, clock, until, isSettled } = await threadLeft();
  const [thread] = platform.threads;
  platform.fail("deleteThread", AWAY);
  await gateway();
  await clock.advance(20_000);
  await platform.write("Hello?", { threadId: thread?.id });
  await until(() => platform.textsIn("home", thread?.id).length > 0);
  await until(isSettled);
  expect(platform.threads).toEqual([thread]);
});

it("a thread stays to which a session was bound since", async () => {
  const { platform, store, gateway, until, isSettled } = await threadLeft();
  const [thread] = platform.threads;
  const conversation = { platform: "loopback", chatId: "home", threadId: thread?.id, kind: "dm" } as const;
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  await store.bindings.bind({ key: buildSessionKey(conversation), conversation, sessionId, mirrors: false });
  await gateway();
  await until(isSettled);
  expect(platform.threads).toEqual([thread]);
});
