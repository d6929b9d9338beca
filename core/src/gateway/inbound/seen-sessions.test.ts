import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR } from "../../model/session.ts";

afterEach(disposeMachines);
const dm = (id: string): Conversation => ({ platform: "loopback", chatId: `dm-${id}`, kind: "dm" });
const at = (id: string) => ({ conversation: dm(id), sender: { id, name: id } });

/** An operator with a session of the terminal, and two members with one each. */
async function withPeople() {
  const on = machine({ operators: ["op"], allowedUsers: ["mem", "other"] });
  const { store, runner, holder } = (await on.gateway()).host;
  const plan = await store.sessions.create({ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null });
  const message = { role: "user", text: "The secret garden" } as const;
  await runner.run({ sessionId: plan.id, cause: { kind: "terminal" }, surface: "terminal", message, tools: false });
  const until = (isSo: () => boolean | Promise<boolean>) => on.until(isSo);
  const writes = async (id: string, text: string) => {
    const before = on.platform.textsIn(`dm-${id}`).length;
    await on.platform.write(text, { chatId: `dm-${id}`, sender: { id, name: id } });
    await until(() => on.platform.textsIn(`dm-${id}`).length > before);
    return on.platform.textsIn(`dm-${id}`).at(-1);
  };
  await writes("mem", "A garden of mine");
  await writes("mem", "/title Mine");
  await writes("other", "A garden of the other");
  await writes("other", "/title Theirs");
  const sessions = on.platform.given?.sessions;
  if (sessions === undefined) throw new Error("the adapter was given no sessions");
  const titles = async (id: string, matching?: string) =>
    (await sessions.list(at(id), { limit: 10, matching })).sessions.map(({ title }) => title);
  return { ...on, store, holder, plan, sessions, titles, writes };
}

describe("the list of sessions that somebody may see", () => {
  it("operators see all, members those that they began, newest first", async () => {
    const on = await withPeople();
    expect(await on.titles("op")).toEqual(["Theirs", "Mine", "Plan"]);
    expect(await on.titles("mem")).toEqual(["Mine"]);
    expect(await on.titles("mem", "Plan")).toEqual([]);
    expect(await on.titles("op", "pla")).toEqual(["Plan"]);
    const { sessions, cursor } = await on.sessions.list(at("op"), { limit: 2 });
    expect(sessions.map(({ title }) => title)).toEqual(["Theirs", "Mine"]);
    const next = await on.sessions.list(at("op"), { limit: 2, after: cursor ?? undefined });
    expect(next).toMatchObject({ sessions: [{ title: "Plan" }], cursor: null });
  });

  it("strangers, bots and people of another platform see nothing", async () => {
    const on = await withPeople();
    const visitors = [
      at("stranger"),
      { ...at("op"), sender: { id: "op", isBot: true } },
      { conversation: { ...dm("op"), platform: "elsewhere" }, sender: { id: "op" } },
    ];
    for (const visitor of visitors) {
      for (const asked of [
        () => on.sessions.list(visitor, { limit: 10 }),
        () => on.sessions.search(visitor, { words: "garden", limit: 10 }),
        () => on.sessions.here(visitor),
      ]) {
        await expect(asked()).rejects.toMatchObject({ code: "NOT_ALLOWED" });
      }
    }
  });

  it("an operator sees in a group only what belongs to it", async () => {
    const on = await withPeople();
    const group: Conversation = { platform: "loopback", chatId: "group", kind: "group" };
    const visitor = { conversation: group, sender: { id: "op" } };
    expect(await on.sessions.list(visitor, { limit: 10 })).toMatchObject({ sessions: [] });
    expect(await on.sessions.search(visitor, { words: "garden", limit: 10 })).toEqual([]);
  });

  it("tells an operator where else a session is open, and where it is in the same chat", async () => {
    const on = await withPeople();
    await on.writes("op", "/resume Plan");
    const terminal = { ...on.holder, id: "term", pid: 12, role: "terminal" } as const;
    await on.store.views.keep({
      ...{ sessionId: on.plan.id, holder: terminal, surface: "terminal", restedMs: 0, leaseMs: 90_000 },
    });
    const { sessions } = await on.sessions.list(at("op"), { limit: 10 });
    expect(sessions.find(({ title }) => title === "Plan")).toMatchObject({
      ...{ here: [dm("op")], elsewhere: ["in a terminal (pid 12)"], lastPlace: "in the terminal", isRunning: false },
    });
    expect(sessions.find(({ title }) => title === "Mine")).toMatchObject({ here: [], elsewhere: ["on loopback"] });
    expect((await on.sessions.list(at("mem"), { limit: 10 })).sessions).toMatchObject([
      { title: "Mine", here: [dm("mem")], elsewhere: [] },
    ]);
  });
});

describe("the search in sessions that somebody may see", () => {
  it("finds what was said in them, with the words marked, and nothing of others", async () => {
    const on = await withPeople();
    const found = async (id: string) =>
      (await on.sessions.search(at(id), { words: "garden", limit: 10 })).map(({ session, by, excerpt }) => [
        session.title,
        by,
        excerpt.map(({ text, isFound }) => (isFound ? `<${text}>` : text)).join(""),
      ]);
    expect(await found("op")).toEqual([
      ["Theirs", "you", "other: A <garden> of the other"],
      ["Mine", "you", "mem: A <garden> of mine"],
      ["Plan", "you", "The secret <garden>"],
    ]);
    expect(await found("mem")).toEqual([["Mine", "you", "mem: A <garden> of mine"]]);
  });
});

describe("how things stand in a conversation", () => {
  it("tells the model, mode, window and usage of its session", async () => {
    const on = await withPeople();
    await on.writes("op", "/resume Plan");
    await on.store.sessions.setMode(on.plan.id, "plan");
    const here = await on.sessions.here(at("op"));
    expect(here).toMatchObject({
      ...{ id: on.plan.id, title: "Plan", model: "scripted/model", isOwnModel: false, mayChooseModel: true },
      ...{ mode: "plan", turn: null, mayStop: false },
      ...{ window: { of: null, isEstimated: true }, usage: { cost: "unknown" } },
    });
    expect(here.modes.map(({ mode, isAllowed }) => [mode, isAllowed])).toEqual([
      ["default", true],
      ["edits", true],
      ["plan", true],
    ]);
  });

  it("a turn that runs can be stopped by whoever may change the session", async () => {
    const on = await withPeople();
    await on.writes("op", "/resume Plan");
    const message = { role: "user", text: "Hello", surface: "terminal" } as const;
    const turn = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000, message } as const;
    await on.store.turns.startTurn({ ...turn, sessionId: on.plan.id, holder: on.holder });
    expect(await on.sessions.here(at("op"))).toMatchObject({
      ...{ turn: { state: "running", place: "in the terminal" }, mayStop: true },
    });
  });

  it("a member may not raise the mode, nor learn of the session of somebody else", async () => {
    const on = await withPeople();
    const here = await on.sessions.here(at("mem"));
    expect(here).toMatchObject({ title: "Mine", mode: "default", mayChooseModel: true, elsewhere: [] });
    expect(here.modes.filter(({ isAllowed }) => isAllowed).map(({ mode }) => mode)).toEqual(["default", "plan"]);
    // Bound by no command: the gateway parts the chat from it before it says anything.
    await on.store.bindings.bind({
      ...{ key: buildSessionKey(dm("mem")), conversation: dm("mem"), sessionId: on.plan.id, mirrors: false },
    });
    expect(await on.sessions.here(at("mem"))).toMatchObject({ id: null, title: null, usage: null });
  });

  it("there is a model and a mode before the first message, too", async () => {
    const on = await withPeople();
    expect(
      await on.sessions.here({ conversation: { ...dm("op"), threadId: "9" }, sender: { id: "op" } }),
    ).toMatchObject({
      ...{ id: null, mode: "default", turn: null, mayStop: false, usage: null, window: null },
    });
  });
});

it("a member finds and exports what was said in their session, but no tool output", async () => {
  const on = await withPeople();
  const { store } = on;
  const binding = await store.bindings.get(buildSessionKey(dm("mem")));
  if (binding === null) throw new Error("nothing is bound");
  const { sessionId } = binding;
  // An operator has gone on with it in the terminal.
  const started = await store.turns.startTurn({
    ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", holder: on.holder, leaseMs: 15_000 },
    message: { role: "user", text: "Read the garden file" },
  });
  if (!started.ok) throw new Error("no turn");
  const { turn, fence } = started;
  const messages = [
    { role: "assistant", text: "I look.", toolCalls: [{ id: "1", name: "read", input: { path: "sesame.txt" } }] },
    { role: "tool", text: "the garden key is sesame", toolCallId: "1" },
    { role: "assistant", text: "Read." },
  ] as const;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  const find = async (id: string) =>
    (await on.sessions.search(at(id), { words: "garden", limit: 9 })).map(({ by }) => by);
  expect(await find("op")).toContain("tool");
  expect(await find("mem")).toEqual(["you", "you"]);
  const exported = async (id: string) => {
    await on.writes(id, "/export");
    return JSON.stringify(on.platform.messages.filter((message) => message.chatId === `dm-${id}`).slice(-2));
  };
  const theirs = await exported("mem");
  expect(theirs).toContain("I look.");
  expect(theirs).not.toContain("sesame");
  await on.writes("op", "/resume Mine");
  expect(await exported("op")).toContain("the garden key is sesame");
});
