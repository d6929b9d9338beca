import type { ScriptedAnswer } from "@hermes/testing";
import { gate } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformAdapter } from "../adapter/adapter.ts";
import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError, PlatformError } from "../base/errors.ts";
import type { BrokenPlugin } from "../config/config.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import type { Handoff } from "../model/handoff.ts";
import { homeOf } from "../model/place.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";
import { PlatformService } from "./account/platform-service.ts";

afterEach(disposeMachines);

/** An answer in whose middle the gateway is to die. */
function cutOff(attempt: number): ScriptedAnswer {
  return [{ say: `Try ${attempt}` }, { hold: gate() }];
}

it("a gateway that starts tells its adapters which sessions are gone", async () => {
  const { gateway, until, terminal } = machine();
  const there = await terminalSession(await terminal());
  const gone: (readonly string[])[] = [];
  using _prune = vi.spyOn(PlatformAdapter.prototype, "prune").mockImplementation(async (ask) => {
    gone.push(await ask([there, "ses_deleted"]));
  });
  await gateway();
  await until(() => gone.length > 0);
  expect(gone).toEqual([["ses_deleted"]]);
});

it("a gateway is starting, and stands by for nobody, before it asked for its account", async () => {
  const { gateway } = machine();
  using described = vi.spyOn(PlatformService.prototype, "describe");
  await gateway();
  expect(described.mock.results[0]?.value).toMatchObject({ health: { state: "starting" }, standby: false });
  expect(described.mock.results.at(-1)?.value).toMatchObject({ health: { state: "up" }, standby: false });
});

describe("a message on a platform", () => {
  it("begins a session and is answered there", async () => {
    const { platform, gateway, until } = machine({}, ["Hello, Ada."]);
    await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello, Ada."));
    expect(platform.textsIn("home")).toEqual(["Hello, Ada."]);
  });

  it("a message is answered once, however often the platform delivers it", async () => {
    const { platform, gateway, until, model, clock } = machine({}, ["Once."]);
    await gateway();
    const messageId = await platform.write("Hi");
    await platform.write("Hi", { messageId });
    await until(() => platform.textsIn("home").includes("Once."));
    await platform.write("Hi", { messageId });
    await clock.advance(1_000);
    expect(model.requests).toHaveLength(1);
    expect(platform.textsIn("home")).toEqual(["Once."]);
  });

  it("a stranger's message causes no turn, no reply and no row beyond a count", async () => {
    const { platform, gateway, clock, model } = machine();
    const { host } = await gateway();
    await platform.write("Let me in", { chatId: "elsewhere", sender: { id: "stranger" } });
    await clock.advance(1_000);
    expect(model.requests).toHaveLength(0);
    expect(platform.messages).toHaveLength(0);
    expect(await host.store.inbox.openLanes("loopback", undefined)).toEqual([]);
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
  });

  it("marks a message as read once it is stored, and none of a stranger", async () => {
    const { platform, gateway, until } = machine({}, ["Hello, Ada."]);
    const read: string[] = [];
    const markRead = async (_: Conversation, messageId: string) => void read.push(messageId);
    platform.onListening = () => Reflect.set(PlatformAdapter.prototype, "markRead", markRead);
    await gateway();
    try {
      await platform.write("Let me in", { chatId: "elsewhere", sender: { id: "stranger" } });
      const messageId = await platform.write("Hi");
      await until(() => platform.textsIn("home").includes("Hello, Ada."));
      expect(read).toEqual([messageId]);
    } finally {
      Reflect.deleteProperty(PlatformAdapter.prototype, "markRead");
    }
  });

  it("a press that nothing asks for changes nothing, and a stranger's is counted", async () => {
    const { platform, gateway, until, clock, model } = machine({}, ["Hello, Ada."]);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello, Ada."));
    const [message] = platform.messages;
    const before = structuredClone(platform.messages);
    await platform.press(message?.id ?? "", "approve");
    expect(await host.store.users.refused("loopback", undefined)).toBe(0);
    await platform.press(message?.id ?? "", "approve", { id: "stranger" });
    await clock.advance(1_000);
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(platform.messages).toEqual(before);
    expect(await host.store.inbox.openLanes("loopback", undefined)).toEqual([]);
  });

  it("a home channel that gets another id goes on with its session, unmentioned", async () => {
    const { platform, gateway, until, model } = machine(
      { homeChannel: { chatId: "team", shared: true }, allowedUsers: ["person"] },
      ["One.", "Two."],
    );
    const { host } = await gateway();
    await platform.write("Hi", { chatId: "team" });
    await until(() => platform.textsIn("team").includes("One."));
    const team = { platform: "loopback", chatId: "team", kind: "group" } as const;
    const street = { ...team, chatId: "street" };
    await Promise.all([...platform.listening].map((events) => events.moved(team, street)));
    await platform.write("Go on.", { chatId: "street" });
    await until(() => platform.textsIn("street").includes("Two."));
    expect(model.requests[1]?.session.id).toBe(model.requests[0]?.session.id);
    expect(await host.store.bindings.get(buildSessionKey(team))).toBeNull();
  });

  it("answers in a group only if addressed, or in a thread that a session lives in", async () => {
    const { platform, gateway, until, model } = machine({ allowedUsers: ["person"] });
    const { host } = await gateway();
    const threadId = "t-1";
    platform.threads.push({ id: threadId, chatId: "team", name: "Ours", mark: "m" });
    const session = await host.store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const conversation = { platform: "loopback", chatId: "team", kind: "group", threadId } as const;
    await host.store.bindings.bind({
      key: buildSessionKey(conversation),
      conversation,
      sessionId: session.id,
      mirrors: false,
    });
    await platform.write("Lunch?", { chatId: "team" });
    await platform.write("Bot, lunch?", { chatId: "team", isAddressed: true });
    await platform.write("Go on.", { chatId: "team", threadId });
    await until(() => platform.textsIn("team").length + platform.textsIn("team", threadId).length === 2);
    // Two conversations: neither waits for the other.
    expect(model.requests.map(({ messages }) => messages.at(-1)?.text?.split("\n").at(-1)).sort()).toEqual([
      "Bot, lunch?",
      "Go on.",
    ]);
  });

  it("a message in a branch of the chat goes on with the chat's session, until /new", async () => {
    const { platform, gateway, until } = machine({}, ["One.", "Two.", "Three."]);
    const { host } = await gateway();
    const chat = { platform: "loopback", chatId: "home", kind: "dm" } as const;
    const branch = { conversation: { ...chat, threadId: "t-1" }, isBranch: true };
    platform.threads.push({ id: "t-1", chatId: "home", name: "", mark: "" });
    const sessionAt = async (at: Conversation) => (await host.store.bindings.get(buildSessionKey(at)))?.sessionId;
    await platform.write("First");
    await until(() => platform.textsIn("home").includes("One."));
    await platform.write("And?", branch);
    await until(() => platform.textsIn("home", "t-1").includes("Two."));
    expect(await sessionAt(branch.conversation)).toBe(await sessionAt(chat));
    await platform.write("/new", branch);
    await platform.write("Something else", branch);
    await until(() => platform.textsIn("home", "t-1").includes("Three."));
    expect(await sessionAt(branch.conversation)).not.toBe(await sessionAt(chat));
  });

  it("answers a channel message in its own thread, which then needs no mention", async () => {
    const { platform, gateway, until } = machine({ allowedUsers: ["person"] }, ["One.", "Two."]);
    await gateway();
    platform.threads.push({ id: "t-1", chatId: "team", name: "", mark: "" });
    await platform.write("Bot, lunch?", { chatId: "team", beginsThread: "t-1", isAddressed: true });
    await until(() => platform.textsIn("team", "t-1").includes("One."));
    await platform.write("Go on.", { chatId: "team", threadId: "t-1" });
    await until(() => platform.textsIn("team", "t-1").includes("Two."));
    expect(platform.textsIn("team")).toEqual([]);
  });

  it("answers an allowed bot until the two of them only go round in circles", async () => {
    const { platform, gateway, model, clock } = machine({ allowedBots: ["bot"] });
    await gateway();
    for (let i = 0; i < 20; i++) {
      await platform.write("And you?", { sender: { id: "bot", isBot: true } });
      await clock.advance(100);
    }
    expect(model.requests).toHaveLength(8);
  });

  it("waits for the one before it, and both are answered in order", async () => {
    const held = gate();
    const { platform, gateway, until } = machine({}, [
      [{ say: "First " }, { hold: held }, { say: "done." }],
      "Second.",
    ]);
    await gateway();
    await platform.write("one");
    await platform.write("two");
    await until(() => platform.textsIn("home").length > 0);
    held.open();
    await until(() => platform.textsIn("home").includes("Second."));
    expect(platform.textsIn("home")).toEqual(["First done.", "Second."]);
  });

  it("an answer streams into one message if the platform can edit", async () => {
    const held = gate();
    const { platform, gateway, until } = machine({}, [[{ say: "Half" }, { hold: held }, { say: " and half." }]]);
    await gateway();
    await platform.write("go");
    await until(() => platform.textsIn("home")[0] === "Half");
    held.open();
    await until(() => platform.textsIn("home")[0] === "Half and half.");
    expect(platform.messages).toHaveLength(1);
  });

  it("stops streaming edits while the platform rate-limits us", async () => {
    const [first, second] = [gate(), gate()];
    const script = [{ say: "One" }, { hold: first }, { say: ", two" }, { hold: second }, { say: ", three." }];
    const { platform, gateway, until, clock } = machine({}, [script]);
    const limited = new PlatformError(
      "PLATFORM_RATE_LIMITED",
      { platform: "loopback", seconds: 30 },
      { retryAfterMs: 30_000 },
    );
    platform.fail("edit", limited);
    let edits = 0;
    platform.onCall = async (call) => {
      if (call === "edit") edits++;
    };
    await gateway();
    await platform.write("go");
    await until(() => platform.textsIn("home")[0] === "One");
    first.open();
    await until(() => edits === 1);
    await clock.advance(25_000);
    expect(edits).toBe(1);
    await until(() => platform.textsIn("home")[0] === "One, two");
    second.open();
    await until(() => platform.textsIn("home")[0] === "One, two, three.");
  });

  it("waits with the whole answer too when the platform asks to wait while it grows", async () => {
    const [more, end] = [gate(), gate()];
    const script = [{ say: "Half" }, { hold: more }, { say: " and" }, { hold: end }, { say: " half." }];
    const { platform, gateway, until, clock } = machine({}, [script]);
    await gateway();
    await platform.write("go");
    await until(() => platform.textsIn("home")[0] === "Half");
    const limit = { platform: "loopback", seconds: 30 };
    platform.fail("edit", new PlatformError("PLATFORM_RATE_LIMITED", limit, { retryAfterMs: 30_000 }));
    more.open();
    await end.reached;
    await clock.advance(1_000);
    end.open();
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(25_000);
    expect(platform.textsIn("home")).toEqual(["Half"]);
    await clock.advance(10_000);
    await until(() => platform.textsIn("home")[0] === "Half and half.");
  });

  it("the chat gets the error when the model fails", async () => {
    const { platform, gateway, until } = machine({}, [[{ fail: new Error("the socket closed") }]]);
    await gateway();
    await platform.write("go");
    await until(() => platform.messages.length > 0);
    expect(platform.textsIn("home")[0]).toMatch(/the socket closed/);
  });

  it("the chat keeps what was said of an answer when the model breaks off", async () => {
    const fail = new Error("the socket closed");
    const { platform, gateway, until } = machine({}, [[{ say: "Half an answer" }, { fail }]]);
    await gateway();
    await platform.write("go");
    await until(() => /the socket closed/.test(platform.textsIn("home")[0] ?? ""));
    expect(platform.textsIn("home")).toHaveLength(1);
    expect(platform.textsIn("home")[0]).toMatch(/^Half an answer\n\n.*the socket closed/);
  });

  it("the next gateway answers, once, a message that a dead one was working on", async () => {
    const { platform, gateway, until, clock } = machine({}, [[{ say: "Never" }, { hold: gate() }], "Now."]);
    const first = await gateway();
    await platform.write("go");
    await until(() => platform.messages.length > 0);
    first.die();
    platform.listening.clear();
    await gateway();
    await until(() => platform.textsIn("home")[0] === "Now.");
    await clock.advance(60_000);
    expect(platform.textsIn("home")).toEqual(["Now."]);
  });

  it("the third gateway answers when two died on a message before any tool ran", async () => {
    const { platform, gateway, until, clock } = machine({}, [cutOff(1), cutOff(2), "At last."]);
    const first = await gateway();
    await platform.write("go");
    await until(() => platform.textsIn("home")[0] === "Try 1");
    first.die();
    platform.listening.clear();
    const second = await gateway();
    await until(() => platform.textsIn("home")[0] === "Try 2");
    second.die();
    platform.listening.clear();
    await gateway();
    await until(() => platform.textsIn("home")[0] === "At last.");
    await clock.advance(60_000);
    expect(platform.textsIn("home")).toEqual(["At last."]);
  });

  it("a message is given up after three gateways died over it; the chat learns it", async () => {
    const { platform, gateway, until, model } = machine({}, [cutOff(1), cutOff(2), cutOff(3)]);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const one = await gateway();
      if (attempt === 1) await platform.write("go");
      await until(() => platform.textsIn("home")[0] === `Try ${attempt}`);
      one.die();
      platform.listening.clear();
    }
    await gateway();
    await until(() => platform.textsIn("home").length > 1);
    expect(platform.textsIn("home").at(-1)).toBe(
      "Hermes stopped while it worked on “go”. It is not run again; nothing of it was done. Send it again if you still want it.",
    );
    expect(model.requests).toHaveLength(3);
  });

  it("a message is answered even if a busy store cannot save the writer's name", async () => {
    const { platform, gateway, until } = machine();
    const { host } = await gateway();
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    Object.assign(host.store.users, { note: () => Promise.reject(busy) });
    await platform.write("go");
    await until(() => platform.textsIn("home").length > 0);
    expect(platform.textsIn("home")).toEqual(["An answer."]);
  });

  it("answers a message to a deleted session in a new one, unless it is older", async () => {
    const { platform, gateway, until, clock } = machine({}, ["One.", "Two."]);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("One."));
    const { sessions } = host.store;
    const [session] = (await sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
    await sessions.delete(session?.id ?? ("" as SessionId), { kind: "notice", markdown: "It was deleted." });
    await platform.write("And this?", { sentAt: clock.now() - 1 });
    await until(() => platform.textsIn("home").length === 3);
    await clock.advance(1);
    await platform.write("And now?", { sentAt: clock.now() - 10 });
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual([
      "One.",
      "It was deleted.",
      expect.stringContaining("“And this?” was not read, because the session here was deleted first."),
      "Two.",
    ]);
  });

  it("/stop ends the turn at once, and keeps what was said", async () => {
    const { platform, gateway, until } = machine({}, [[{ say: "A long story" }, { hold: gate() }]]);
    await gateway();
    await platform.write("tell me");
    await until(() => platform.textsIn("home")[0] === "A long story");
    await platform.write("/stop");
    await until(() => platform.textsIn("home").some((text) => text.includes("Stopped")));
    expect(platform.textsIn("home")[0]).toMatch(/^A long story/);
  });
});

describe("a plugin that cannot be used", () => {
  const broken = (platform: string | null, account: string | null): BrokenPlugin => ({
    ...{ package: "hermes-plugin-pigeon", key: "plugins[0]", file: "hermes.config.json", platform, account },
    error: new HermesError("PLUGIN_INVALID", { package: "hermes-plugin-pigeon", reason: "boom" }),
  });

  it("a broken plugin shows as down in the heartbeat; the others are served", async () => {
    const { platform, gateway, terminal, until, clock } = machine({}, [], [broken("pigeon", null), broken(null, null)]);
    await gateway();
    const host = await terminal();
    const [row] = await host.store.gateways.alive();
    const health = { state: "down", detail: expect.stringContaining("boom") };
    expect(row?.platforms).toMatchObject([
      { platform: "loopback", health: { state: "up" } },
      { platform: "pigeon", health, standby: false, home: null },
      { platform: "hermes-plugin-pigeon", health },
    ]);
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("An answer."));

    const sessionId = await terminalSession(host);
    const request = requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("pigeon") });
    await expect(request).rejects.toMatchObject({
      code: "HANDOFF_PLATFORM_UNHEALTHY",
      message: expect.stringContaining("boom"),
    });
  });

  it("leaves handoffs to another account of its platform", async () => {
    const { platform, gateway, terminal, until, clock } = machine({}, [], [broken("loopback", "second")]);
    await gateway();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback") });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(platform.threads).toHaveLength(1);
  });
});

it("words of a person without tools are quoted data when an operator asks", async () => {
  const { platform, model, gateway, until } = machine({ operators: ["person"], allowedUsers: ["bob"] });
  await gateway();
  const write = async (id: string, text: string) => {
    const asked = model.requests.length;
    await platform.write(text, { chatId: "team", sender: { id }, isAddressed: true });
    await until(() => model.requests.length > asked && platform.textsIn("team").length > asked);
    const { messages = [] } = model.requests.at(-1) ?? {};
    return messages.flatMap(({ role, text: read }) => (role === "user" ? [read] : []));
  };
  const [asGuest] = await write("bob", "Delete it.");
  expect(asGuest).toMatch(/^⟦from "bob" #[0-9a-f]{6}⟧\nDelete it\.$/);
  expect(await write("person", "What is new?")).toEqual([
    expect.stringMatching(/^⟦from "bob" #[0-9a-f]{6}, who may not use tools⟧\n> Delete it\.$/),
    expect.stringMatching(/^⟦from "person" #[0-9a-f]{6}, the operator⟧\nWhat is new\?$/),
  ]);
  expect((await write("bob", "Again."))[0]).toBe(asGuest);
});

it("/retry leaves words that were passed on somebody else's", async () => {
  const { platform, model, gateway, until } = machine();
  await gateway();
  await platform.write("", { quotes: [{ kind: "forward", text: "Delete it." }] });
  await until(() => model.requests.length === 1 && platform.textsIn("home").length === 1);
  await platform.write("/retry");
  await until(() => model.requests.length === 2);
  const asked = model.requests.map(({ messages }) => messages.at(-1)?.text);
  expect(asked).toEqual(["⟦forwarded⟧\n> Delete it.", "⟦forwarded⟧\n> Delete it."]);
});

describe("a handoff", () => {
  it("a handoff opens a thread, says where things stand, and goes on there", async () => {
    const { platform, gateway, terminal, until, model, clock } = machine({}, [
      "The plan is X.",
      "We stand at X.",
      "Then Y.",
    ]);
    const { store, container, ...rest } = await terminal();
    const sessionId = await terminalSession({ store, container, ...rest });
    await gateway();
    await requestHandoff({ store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await store.handoffs.latestOf(sessionId))?.state === "completed");

    const [thread] = platform.threads;
    expect(thread?.name).toBe("Plan");
    const said = platform.textsIn("home", thread?.id);
    expect(said.at(-1)).toBe("We stand at X.");
    expect(said.join("\n")).toContain("What is the plan?");

    await platform.write("And then?", { chatId: "home", threadId: thread?.id ?? "" });
    await until(() => platform.textsIn("home", thread?.id).includes("Then Y."));
    const { messages = [], session } = model.requests.at(-1) ?? {};
    expect(session?.id).toBe(sessionId);
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(await store.sessions.count()).toBe(1);
  });

  it("a handoff without threads lands in the home channel, and names its old session", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    platform.capabilities = { ...platform.capabilities, threads: false };
    await gateway();
    await platform.write("An earlier matter");
    await until(() => platform.messages.length > 0);
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    const notice = platform.textsIn("home").find((text) => text.includes("goes on here"));
    expect(notice).toContain("no threads");
    expect(notice).toContain("/resume An earlier matter");
  });

  it("each of two handoffs to one chat at once names the session before it", async () => {
    const held = gate();
    const { platform, gateway, terminal, until, clock } = machine({}, [[{ hold: held }, { say: "Done." }]]);
    platform.capabilities = { ...platform.capabilities, threads: false };
    await gateway();
    await platform.write("An earlier matter");
    await held.reached;
    const { store, ...host } = await terminal();
    const ids: SessionId[] = [];
    for (const title of ["Rome", "Oslo"]) {
      const sessionId = await terminalSession({ ...host, store });
      ids.push(sessionId);
      await store.sessions.setTitle(sessionId, title);
      await requestHandoff({ store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    }
    const isEvery = async (is: (handoff: Handoff | null) => boolean) =>
      (await Promise.all(ids.map((id) => store.handoffs.latestOf(id)))).every(is);
    // Both wait for the end of the turn that runs there.
    await until(() => isEvery((handoff) => handoff?.step === "threaded"));
    held.open();
    await until(() => isEvery((handoff) => handoff?.state === "completed"));
    const notices = platform.textsIn("home").filter((text) => text.includes("goes on here"));
    expect(notices.map((text) => /talked to “(.*?)”/.exec(text)?.[1])).toEqual(["An earlier matter", "Rome"]);
  });

  it("a handoff refused for good restores the former binding and removes the thread", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    const refusal = new PlatformError("PLATFORM_FORBIDDEN", {
      platform: "loopback",
      reason: "muted",
      hint: "Unmute it.",
    });
    platform.fail("send", refusal, 10);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "failed");
    const handoff = await host.store.handoffs.latestOf(sessionId);
    expect(handoff?.error?.text).toContain("muted");
    expect(platform.threads).toEqual([]);
    expect(await host.store.bindings.of(sessionId)).toEqual([]);
    const last = (await host.store.transcripts.read(sessionId)).at(-1);
    expect(last?.text).toContain("back in the terminal");
  });

  it.each(["createHandoffThread", "send"] as const)(
    "the next gateway finishes a handoff when one dies in %s",
    async (call) => {
      const { platform, gateway, terminal, until, clock } = machine();
      const host = await terminal();
      const sessionId = await terminalSession(host);
      const first = await gateway();
      platform.fail(call, "hang");
      await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
      await until(async () => {
        const handoff = await host.store.handoffs.latestOf(sessionId);
        return call === "send" ? handoff?.step === "answered" : handoff?.threadIntentAt !== null;
      });
      first.die();
      platform.listening.clear();
      await gateway();
      await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
      expect(platform.threads).toHaveLength(1);
      const answers = platform.textsIn("home", platform.threads[0]?.id).filter((text) => text === "An answer.");
      expect(answers).toHaveLength(1);
    },
  );

  it("two gateways on one store carry a handoff out once", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    const second = await gateway();
    expect(second.gateway.describe()[0]?.standby).toBe(true);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(platform.threads).toHaveLength(1);
    expect((await host.store.handoffs.latestOf(sessionId))?.attempt).toBe(1);
  });

  it("waits for the gateway that takes over when the serving one has just died", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    const serving = await gateway();
    await gateway();
    serving.die();
    platform.listening.clear();
    const request = requestHandoff(
      { store: host.store, clock },
      { sessionId, to: homeOf("loopback"), from: "terminal" },
    );
    let outcome: unknown;
    void request.then(
      () => (outcome = "asked for"),
      (error: unknown) => (outcome = error),
    );
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(outcome).toBe("asked for");
  });

  it("a handoff is not refused while the gateway still looks up the home channel", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    const held = gate();
    platform.onCall = async (call) => {
      if (call === "homeConversation") await held.pass();
    };
    const starting = gateway();
    await held.reached;
    // What the heartbeat of every five seconds says meanwhile.
    await clock.advance(5_000);
    await until(async () => (await host.store.gateways.alive()).length === 1);
    const [row] = await host.store.gateways.alive();
    expect(row?.platforms[0]).toMatchObject({ health: { state: "starting" }, home: null });
    const request = requestHandoff(
      { store: host.store, clock },
      { sessionId, to: homeOf("loopback"), from: "terminal" },
    );
    held.open();
    await starting;
    await clock.advance(1_000);
    expect((await request).handoff.state).toBe("pending");
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
  });

  it("a handoff that hangs delays no other handoff", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const [hanging, other] = [await terminalSession(host), await terminalSession(host)];
    const { end } = await gateway();
    platform.fail("createHandoffThread", "hang");
    const handoffOf = (id: SessionId) => host.store.handoffs.latestOf(id);
    await requestHandoff(
      { store: host.store, clock },
      { sessionId: hanging, to: homeOf("loopback"), from: "terminal" },
    );
    await until(async () => (await handoffOf(hanging))?.threadIntentAt !== null);
    await requestHandoff({ store: host.store, clock }, { sessionId: other, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await handoffOf(other))?.state === "completed");
    expect((await handoffOf(hanging))?.step).toBe("claimed");
    // After half a minute the platform has had its time, and the session lands flat.
    await clock.advance(30_000);
    await until(async () => (await handoffOf(hanging))?.state === "completed");
    expect((await handoffOf(hanging))?.flatBecause).toContain("too long");
    await end();
  });

  it("replaces a thread that is gone in a home channel that the config names by alias", async () => {
    const options = { homeChannel: { chatId: "#home" } };
    const { platform, gateway, terminal, until, clock } = machine(options, ["The plan.", "It stands.", "It goes on."]);
    const sessionId = await terminalSession(await terminal());
    const { host } = await gateway();
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    const threads = () => platform.threads.map(({ id }) => id);
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    const [first = ""] = threads();
    platform.onCall = async (call) => {
      if (call !== "send") return;
      platform.threads.splice(0, 1);
      platform.onCall = async () => {};
    };
    await platform.write("And now?", { threadId: first });
    await until(() => threads().length === 1 && platform.textsIn("home", threads()[0]).includes("It goes on."));
    expect(threads()).not.toContain(first);
    expect(platform.textsIn("home")).toEqual([]);
  });

  it("an answer to a deleted private thread is not posted in its chat", async () => {
    const { platform, gateway, until } = machine({ allowedUsers: ["person"] }, ["Among us."]);
    const { host } = await gateway();
    const few = { platform: "loopback", chatId: "home", kind: "group", threadId: "few", isPrivate: true } as const;
    await platform.write("And now?", { conversation: few, isAddressed: true });
    const undelivered = () => host.store.deliveries.list({ limit: 5 });
    await until(async () => (await undelivered()).length === 1);
    expect(await undelivered()).toMatchObject([{ state: "failed" }]);
    expect(platform.textsIn("home")).toEqual([]);
    expect(platform.threads).toEqual([]);
  });

  it("/sethome says that the configured (or default) home channel wins", async () => {
    const { platform, gateway, until } = machine();
    await gateway();
    await platform.write("/sethome");
    await until(() => platform.textsIn("home").length === 1);
    expect(platform.textsIn("home")).toEqual([
      "The home channel of loopback is Home, as the config or the plugin has it, and that wins over /sethome. Set `homeChannel` in the config to change it.",
    ]);
  });

  it("refuses a handoff to a platform without a home channel at once, writing nothing", async () => {
    const { gateway, terminal, clock } = machine({ homeChannel: undefined });
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    const request = requestHandoff(
      { store: host.store, clock },
      { sessionId, to: homeOf("loopback"), from: "terminal" },
    );
    await expect(request).rejects.toMatchObject({ code: "CONFIG_HOME_CHANNEL_MISSING" });
    expect(await host.store.handoffs.latestOf(sessionId)).toBeNull();
  });
});
