import { gate } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, expect, test, vi } from "vitest";
import { platformErrors } from "../adapter/platform-errors.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { homeOf } from "../model/place.ts";

afterEach(disposeMachines);

const OPTIONS = { operators: ["person"] };
const HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;

test("an answer that grows in a thread goes on in the same message when it is renamed", async () => {
  const held = gate();
  const { platform, gateway, until, clock } = machine(OPTIONS, [
    "The plan.",
    "We stand at the plan.",
    [{ say: "The build" }, { hold: held }, { say: " is fixed." }],
    "And the tests.",
  ]);
  const { host } = await gateway();
  const sessionId = await terminalSession(host);
  await requestHandoff(host, { sessionId, to: homeOf("loopback") });
  await until(() => platform.messages.some(({ text }) => text === "We stand at the plan."));
  const [thread] = platform.threads;
  if (thread === undefined) throw new Error("there is no thread");
  await platform.write("Fix the build.", { threadId: thread.id });
  await held.reached;
  await clock.advance(1_000);
  await until(() => platform.textsIn("home", thread.id).includes("The build"));

  const renamed = { ...HOME, threadId: "the build" };
  platform.threads.push({ ...thread, id: "the build" });
  for (const events of platform.listening) await events.moved({ ...HOME, threadId: thread.id }, renamed);
  held.open();
  await until(() => platform.messages.some(({ text }) => text === "The build is fixed."));
  expect(platform.messages.filter(({ text }) => text.includes("The build"))).toHaveLength(1);

  await platform.write("What else?", { threadId: "the build" });
  await until(() => platform.textsIn("home", "the build").includes("And the tests."));
  expect(await host.store.bindings.get(buildSessionKey(renamed))).toMatchObject({ sessionId });
});

test("a thread that its first message begins is not there when the handoff fails", async () => {
  const { platform, gateway, until } = machine(OPTIONS, ["The plan.", "We stand at the plan.", "The plan.", "Lost."]);
  platform.capabilities = { ...platform.capabilities, threads: "begun-by-message" };
  platform.lacks = ["findThread", "deleteThread"];
  const { host } = await gateway();
  const handOff = async () => {
    const sessionId = await terminalSession(host);
    await requestHandoff(host, { sessionId, to: homeOf("loopback") });
    const latest = () => host.store.handoffs.latestOf(sessionId);
    await until(async () => ["completed", "failed"].includes((await latest())?.state ?? ""));
    return latest();
  };
  expect(await handOff()).toMatchObject({ state: "completed", flatBecause: null });
  const [thread, ...others] = platform.threads;
  expect(others).toEqual([]);
  expect(platform.textsIn("home", thread?.id)).toContain("We stand at the plan.");

  platform.onCall = async (call) => {
    if (call === "send") throw platformErrors("loopback").rejected("nobody may write", "Ask for the right.");
  };
  expect(await handOff()).toMatchObject({ state: "failed" });
  expect(platform.threads).toEqual([thread]);
});

test("a private thread moved into a group leaves its session behind, and says so", async () => {
  const { platform, gateway, until } = machine(OPTIONS, ["The secret plan.", "Hello, all."]);
  const { host } = await gateway();
  const thread = { id: "plan", name: "Plan", mark: "plan" };
  platform.threads.push({ ...thread, chatId: "home" });
  await platform.write("What is the plan?", { threadId: "plan" });
  await until(() => platform.textsIn("home", "plan").includes("The secret plan."));
  const [from, to] = [
    { ...HOME, threadId: "plan" },
    { platform: "loopback", chatId: "group-team", kind: "group", threadId: "plan" } as const,
  ];
  platform.threads.splice(0, 1, { ...thread, chatId: to.chatId });
  const before = (await host.store.bindings.get(buildSessionKey(from)))?.sessionId;
  for (const events of platform.listening) await events.moved(from, to);
  await until(() => platform.textsIn("group-team", "plan").length === 1);
  expect(platform.textsIn("group-team", "plan")[0]).toContain("the session that was here stays private");
  await platform.write("Hello", { chatId: "group-team", threadId: "plan", isAddressed: true });
  await until(() => platform.textsIn("group-team", "plan").includes("Hello, all."));
  const now = (await host.store.bindings.get(buildSessionKey(to)))?.sessionId;
  expect([before, now]).toEqual([expect.any(String), expect.not.stringMatching(before ?? "none")]);
  expect(await host.store.bindings.get(buildSessionKey(from))).toBeNull();
});

/** As the store fails while the disk is full. */
const FULL = new HermesError("STORE_FULL", { file: "hermes.db" });

test.each([
  ["goes on", ["advanceHandoff", "failHandoff"] as const],
  ["fails and is asked for again", ["advanceHandoff"] as const],
])("a handoff whose thread could not be recorded has one thread when it %s", async (_, failing) => {
  const { platform, gateway, until } = machine(OPTIONS, ["The plan."]);
  platform.lacks = ["findThread"];
  const { host } = await gateway();
  const { handoffs } = host.store;
  const sessionId = await terminalSession(host);
  for (const name of failing) vi.spyOn(handoffs, name).mockRejectedValueOnce(FULL);
  const handOff = async () => {
    await requestHandoff(host, { sessionId, to: homeOf("loopback") });
    await until(async () => ["completed", "failed"].includes((await handoffs.latestOf(sessionId))?.state ?? ""));
    return handoffs.latestOf(sessionId);
  };
  if (failing.length === 1) {
    expect(await handOff()).toMatchObject({ state: "failed", error: { code: "STORE_FULL" } });
    await until(() => platform.threads.length === 0);
  }
  expect(await handOff()).toMatchObject({ state: "completed", warnings: [] });
  expect(platform.threads).toHaveLength(1);
});

test("a conversation leaves a dead thread for one new thread, though the store fails", async () => {
  const { platform, gateway, until } = machine(OPTIONS, ["The plan.", "We stand at the plan.", "It goes on."]);
  platform.lacks = ["findThread"];
  const { host } = await gateway();
  const sessionId = await terminalSession(host);
  await requestHandoff(host, { sessionId, to: homeOf("loopback") });
  await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
  const [thread] = platform.threads.splice(0);
  vi.spyOn(host.store.outbox, "moveLane").mockRejectedValueOnce(FULL);
  await platform.write("Go on.", { threadId: thread?.id ?? "" });
  await until(() => platform.messages.some(({ text }) => text === "It goes on."));
  expect(platform.threads).toHaveLength(1);
});
