import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import { homeOf } from "../../model/place.ts";

afterEach(disposeMachines);

const TEAM = { platform: "loopback", chatId: "team", kind: "group" } as const;
const THREAD = { id: "t-1", chatId: "team", name: "Ours", mark: "" };

describe("a home channel that is a thread", () => {
  /** A platform on which a thread is a chat with an id of its own, as it is on some. */
  function withThreadsAsChats(options: Parameters<typeof machine>[0]) {
    const made = machine(options);
    made.platform.threads.push(THREAD);
    made.platform.chatIdOf = (id) => (id === THREAD.id ? { chatId: "team", threadId: id } : { chatId: id });
    return made;
  }

  it("a home thread named by its own id takes handoffs itself, with no new thread", async () => {
    const { platform, gateway, terminal, until, clock } = withThreadsAsChats({
      homeChannel: { chatId: THREAD.id, shared: true },
    });
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(platform.threads).toEqual([THREAD]);
    expect(platform.textsIn("team")).toEqual([]);
    expect(platform.textsIn("team", THREAD.id)).toHaveLength(3);
  });

  it("a failed handoff does not delete a home channel that is a thread", async () => {
    const { platform, gateway, terminal, until, clock } = withThreadsAsChats({
      homeChannel: { chatId: THREAD.id, shared: true },
    });
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    const refusal = new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "it is locked", hint: "" });
    platform.fail("send", refusal, 10);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "failed");
    expect(platform.threads).toEqual([THREAD]);
  });

  it("a home thread takes a session of the chat around it, and refuses its own", async () => {
    const { gateway, terminal, clock } = withThreadsAsChats({ homeChannel: { chatId: THREAD.id, shared: true } });
    const { store } = await terminal();
    await gateway();
    const begin = async (at: typeof TEAM & { readonly threadId?: string }) => {
      const key = buildSessionKey(at);
      const { id } = await store.sessions.create({ user: "operator" as never, origin: key, originChat: key });
      await store.bindings.bind({ key, conversation: at, sessionId: id, mirrors: false });
      return requestHandoff({ store, clock }, { sessionId: id, to: homeOf("loopback"), from: key });
    };
    await expect(begin({ ...TEAM, threadId: THREAD.id })).rejects.toMatchObject({ code: "HANDOFF_ALREADY_THERE" });
    expect((await begin(TEAM)).handoff.state).toBe("pending");
  });
});

describe("a home channel that gets another id", () => {
  const move = async (
    { listening }: ReturnType<typeof machine>["platform"],
    ...[from, to]: [from: Conversation, to: Conversation]
  ) => {
    for (const events of listening) await events.moved(from, to);
  };

  it("a home that becomes a shared chat is no private home from then on", async () => {
    const { platform, gateway, until } = machine({ homeChannel: { chatId: "home" } });
    const { host } = await gateway();
    const home = async () => (await host.store.homePeople.list())[0];
    expect(await home()).toMatchObject({ isPrivate: true, person: "person" });
    platform.chatIdOf = (id) => ({ chatId: id === "home" ? "team" : id });
    await move(platform, { ...TEAM, chatId: "home", kind: "dm" }, TEAM);
    await until(async () => (await home())?.isPrivate === false);
    await until(async () => (await host.store.places.get(buildSessionKey(TEAM)))?.shared === true);
  });

  it("a home thread that is private where it is now is kept as a private one", async () => {
    const { platform, gateway, until } = machine({ homeChannel: { ...THREAD, threadId: THREAD.id, shared: true } });
    platform.threads.push(THREAD);
    const { host } = await gateway();
    const now = { ...TEAM, threadId: "t-2" };
    platform.threads.splice(0, 1, { ...THREAD, id: "t-2", isVisible: false });
    await move(platform, { ...TEAM, threadId: THREAD.id }, { ...now, isPrivate: true });
    const noted = async () => (await host.store.places.get(buildSessionKey(now)))?.conversation;
    await until(async () => (await noted()) !== undefined);
    expect(await noted()).toMatchObject({ isPrivate: true });
  });
});

describe("/sethome", () => {
  it("/sethome in a thread makes it the home, which the terminal sees at once", async () => {
    const { platform, gateway, terminal, until, clock } = machine({
      homeChannel: undefined,
      operators: ["person"],
    });
    platform.threads.push(THREAD);
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    await platform.write("/sethome", { chatId: "team", threadId: THREAD.id, isAddressed: true });
    const said = () => platform.textsIn("team", THREAD.id);
    // No time passes: the heartbeat that would come by itself is seconds away.
    while (said().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(said()[0]).toMatch(/^This thread is the home channel of loopback now/);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(platform.threads).toEqual([THREAD]);
    expect(said().length).toBeGreaterThan(2);
    expect(platform.textsIn("team")).toEqual([]);
  });

  it("/sethome at the top of a channel makes the channel the home, not a new thread", async () => {
    const { platform, gateway, until } = machine({ homeChannel: undefined, operators: ["person"] });
    const { host } = await gateway();
    platform.threads.push(THREAD);
    await platform.write("/sethome", { chatId: "team", beginsThread: THREAD.id, isAddressed: true });
    await until(() => platform.textsIn("team", THREAD.id).length === 1);
    const home = await host.store.bindings.home("loopback", undefined);
    expect(home).toMatchObject({ chatId: "team" });
    expect(home?.threadId).toBeUndefined();
  });

  it("/sethome chat makes the chat around the thread the home channel", async () => {
    const { platform, gateway, until } = machine({ homeChannel: undefined, operators: ["person"] });
    const { host } = await gateway();
    platform.threads.push(THREAD);
    await platform.write("/sethome chat", { chatId: "team", threadId: THREAD.id, isAddressed: true });
    await until(() => platform.textsIn("team", THREAD.id).length === 1);
    expect((await host.store.bindings.home("loopback", undefined))?.threadId).toBeUndefined();
  });
});
