import { gate, type ScriptedAnswer } from "@hermes/testing";
import { disposeMachines, LoopbackPlatform, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, test } from "vitest";
import type { SessionKey } from "../adapter/session-key.ts";
import { PlatformError } from "../base/errors.ts";
import { CONFIG } from "../config/config.ts";
import { readersAt } from "../handoff/readers.ts";
import { checkHandoff, requestHandoff } from "../handoff/request-handoff.ts";
import { resolvePlace } from "../handoff/resolve-place.ts";
import { readersOf } from "../handoff/session-readers.ts";
import type { Host } from "../host/host.ts";
import type { HandoffState } from "../model/handoff.ts";
import { homeOf } from "../model/place.ts";
import type { Session, SessionId, UserId } from "../model/session.ts";
import { placesDocument } from "../overview/places.ts";
import { wayOfSession } from "../overview/session-way.ts";

afterEach(disposeMachines);

const OPTIONS = { operators: ["person"], allowedUsers: ["ada"] };

/** A gateway with two accounts of one platform, whose bare name means the first. */
function twoAccounts(script: ScriptedAnswer[] = [], options = {}) {
  const work = new LoopbackPlatform();
  const made = machine({ ...OPTIONS, ...options }, script, [], (container) => {
    const config = container.resolve(CONFIG);
    const [first] = config.plugins;
    if (!first) throw new Error("there is no plugin");
    const account = { ...first.options, account: "work", homeChannel: { chatId: "home", name: "Office" } };
    const second = { descriptor: work.plugin(), options: account };
    container.registerInstance(CONFIG, { ...config, plugins: [first, second] });
  });
  return { ...made, work };
}

function textsOf({ messages }: LoopbackPlatform): string[] {
  return messages.map(({ text }) => text);
}

async function begun({ store }: Host): Promise<Session> {
  const [session] = (await store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
  if (!session) throw new Error("there is no session");
  return session;
}

async function stateOf({ store }: Host, id: SessionId): Promise<HandoffState | undefined> {
  return (await store.handoffs.latestOf(id))?.state;
}

describe("a handoff between places", () => {
  test("a session moves to another account, and the place that it leaves is told once", async () => {
    const { platform, work, gateway, until } = twoAccounts(["Hello.", "It stands well.", "Go on.", "Back again."]);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello."));
    await platform.write("/title Plan");
    await until(async () => (await begun(host)).title === "Plan");
    await platform.write("/handoff loopback:work");
    const { id } = await begun(host);
    await until(async () => (await stateOf(host, id)) === "completed");
    const [thread] = work.threads;
    const line = `“Plan” goes on in loopback › Office › Plan: loopback://home/${thread?.id}`;
    await until(() => platform.textsIn("home").includes(line));
    expect(textsOf(work)).toContain("It stands well.");

    await work.write("And now?", { threadId: thread?.id });
    await until(() => textsOf(work).includes("Go on."));
    expect(platform.textsIn("home").filter((text) => /goes on|continues/.test(text))).toEqual([line]);
  });

  test("a session that goes back where it came from has a way of two hops", async () => {
    const { platform, work, gateway, until } = twoAccounts();
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").length > 0);
    await platform.write("/title Plan");
    await until(async () => (await begun(host)).title === "Plan");
    await platform.write("/handoff loopback:work");
    const { id } = await begun(host);
    await until(async () => (await stateOf(host, id)) === "completed");
    await work.write("/handoff Loopback", { threadId: work.threads[0]?.id });
    await until(async () => platform.threads.length > 0 && (await stateOf(host, id)) === "completed");
    const [there] = platform.threads;
    const back = `“Plan” goes on in loopback › Home › Plan: loopback://home/${there?.id}`;
    await until(() => textsOf(work).includes(back));
    const way = await wayOfSession(host.store, id);
    expect(way.map(({ from, to }) => `${from} → ${to}`)).toEqual([
      "loopback → loopback › Office › Plan",
      "loopback › Office › Plan → loopback › Home › Plan",
    ]);
  });

  test("a session that came from a platform is there again when its handoff fails", async () => {
    const { platform, work, gateway, until } = twoAccounts(["Hello.", "It stands well.", "Still here."]);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello."));
    work.fail("send", new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "no", hint: "ask" }), 9);
    await platform.write("/handoff loopback:work");
    const { id } = await begun(host);
    await until(async () => (await stateOf(host, id)) === "failed");
    expect((await host.store.sessions.get(id))?.lastSurface).toBe("agent:main:loopback:dm:home");
    await platform.write("Are you there?");
    await until(() => platform.textsIn("home").includes("Still here."));
    expect(platform.textsIn("home").filter((text) => /goes on in|continues/.test(text))).toEqual([]);
  });

  test.each(["createHandoffThread", "send"])(
    "a gateway that dies at its call %s loses and doubles nothing",
    async (at) => {
      const { platform, work, gateway, until } = twoAccounts(["Hello.", "It stands well."]);
      const first = await gateway();
      await platform.write("Hi");
      await until(() => platform.textsIn("home").includes("Hello."));
      const { id } = await begun(first.host);
      let isDead = false;
      work.onCall = async (call) => {
        if (isDead || call !== at) return;
        isDead = true;
        first.die();
        await new Promise(() => {});
      };
      await platform.write("/handoff loopback:work");
      await until(() => isDead);
      const { host } = await gateway();
      await until(async () => (await stateOf(host, id)) === "completed");
      await until(() => platform.textsIn("home").some((text) => text.includes("goes on in loopback › Office")));
      expect(work.threads).toHaveLength(1);
      expect(textsOf(work).filter((text) => text === "It stands well.")).toHaveLength(1);
      expect(platform.textsIn("home").filter((text) => text.includes("goes on in"))).toHaveLength(1);
      expect(await host.store.bindings.of(id)).toHaveLength(2);
    },
  );

  test("a gateway that dies on the way leaves one thread, one answer and one line", async () => {
    const held = gate();
    const made = twoAccounts(["Hello.", [{ say: "Half" }, { hold: held }], "It stands well."]);
    const { platform, work, gateway, until } = made;
    const first = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello."));
    await platform.write("/handoff loopback:work");
    await held.reached;
    const { id } = await begun(first.host);
    first.die();
    const { host } = await gateway();
    await until(async () => (await stateOf(host, id)) === "completed");
    await until(() => platform.textsIn("home").some((text) => text.includes("goes on in loopback › Office")));
    expect(work.threads).toHaveLength(1);
    expect(textsOf(work).filter((text) => text === "It stands well.")).toHaveLength(1);
    expect(platform.textsIn("home").filter((text) => text.includes("goes on in"))).toHaveLength(1);
  });
});

describe("a place by name", () => {
  test("a chat keeps its name where messages bring that of the thread they stand in", async () => {
    const { platform, gateway, terminal, until } = machine(OPTIONS);
    await gateway();
    const host = await terminal();
    const named = async () =>
      (await host.store.places.list()).flatMap(({ name }) => (name?.startsWith("Team") ? name : []));
    for (const threadId of ["plan", "build"]) {
      const text = `About the ${threadId}`;
      platform.threads.push({ id: threadId, chatId: "team", name: threadId, mark: threadId });
      await platform.write(text, { chatId: "team", threadId, isAddressed: true, chatName: `Team › ${threadId}` });
      await until(async () => (await named()).length > 0 && platform.textsIn("team", threadId).length > 0);
      expect(await named()).toEqual(["Team"]);
    }
  });

  test("a chat is known by its name once somebody who is allowed has written there", async () => {
    const { platform, gateway, terminal, until, clock } = machine(OPTIONS);
    await gateway();
    const host = await terminal();
    await expect(resolvePlace(host.store, "loopback/team")).rejects.toMatchObject({ code: "PLACE_UNKNOWN" });
    await platform.write("Let me in", { chatId: "street", sender: { id: "stranger" }, isAddressed: true });
    await platform.write("Hi", { chatId: "team", isAddressed: true });
    await until(() => platform.textsIn("team").length > 0);
    await until(async () => (await host.store.places.list()).some(({ name }) => name === "Team"));
    expect((await host.store.places.list()).map(({ name }) => name).toSorted()).toEqual(["Home", "Team"]);
    for (const typed of ["loopback/Team", "LOOPBACK/#team", "#team", "loopback/@team"]) {
      expect(await resolvePlace(host.store, typed)).toMatchObject({ conversation: { chatId: "team" } });
    }
    await expect(resolvePlace(host.store, "loopback/taem")).rejects.toMatchObject({
      code: "PLACE_MISTYPED",
      hint: expect.stringContaining("loopback/Team"),
    });

    const sessionId = await terminalSession(host);
    const to = await resolvePlace(host.store, "loopback/team");
    if (to.kind === "terminal") throw new Error("a chat is meant");
    const { audience } = await requestHandoff({ store: host.store, clock }, { sessionId, to, from: "terminal" });
    expect(audience).toBe("Everybody in Team");
    await until(async () => (await stateOf(host, sessionId)) === "completed");
    expect(platform.threads).toMatchObject([{ chatId: "team", name: "Plan" }]);
    expect(await resolvePlace(host.store, "loopback/Team › Plan")).toMatchObject({
      conversation: { threadId: platform.threads[0]?.id },
    });
    const again = requestHandoff({ store: host.store, clock }, { sessionId, to });
    await expect(again).rejects.toMatchObject({ code: "HANDOFF_ALREADY_THERE" });
  });

  test("a name that several places have is listed, and none of them is guessed", async () => {
    const { platform, work, gateway, until } = twoAccounts();
    const { host } = await gateway();
    for (const at of [platform, work]) await at.write("Hi", { chatId: "team", isAddressed: true });
    await until(async () => (await host.store.places.list()).filter(({ name }) => name === "Team").length === 2);
    await expect(resolvePlace(host.store, "loopback/team")).rejects.toMatchObject({
      code: "PLACE_AMBIGUOUS",
      message: expect.stringMatching(/loopback\/team.*loopback:work\/team|loopback:work\/team.*loopback\/team/),
    });
    expect(await resolvePlace(host.store, "loopback:work/team")).toMatchObject({ account: "work" });
  });

  test("a place of the config is reached by its name, a shared one if it says so", async () => {
    const places = { crew: { chatId: "team", shared: true }, walk: { chatId: "street" } };
    const { platform, gateway, terminal, until, clock } = machine({ ...OPTIONS, places });
    await gateway();
    const host = await terminal();
    await until(async () => (await host.store.places.list()).filter(({ word }) => word === "config").length === 2);
    const sessionId = await terminalSession(host);
    const hand = async (typed: string) => {
      const to = await resolvePlace(host.store, typed);
      if (to.kind === "terminal") throw new Error("a chat is meant");
      return requestHandoff({ store: host.store, clock }, { sessionId, to });
    };
    await expect(hand("loopback/walk")).rejects.toMatchObject({ code: "CONFIG_PLACE_NOT_SHARED" });
    await hand("loopback/crew");
    await until(async () => (await stateOf(host, sessionId)) === "completed");
    expect(platform.threads).toMatchObject([{ chatId: "team" }]);
  });

  test.each([
    { people: ["ada"], isFixed: true, reads: "notes" },
    { people: ["mallory"], isFixed: true, refused: "PLACE_OF_STRANGER" },
    { people: ["ada"], isFixed: false, refused: "PLACE_READER_UNKNOWN" },
    { people: ["ada", "mallory"], isFixed: true, refused: "PLACE_READER_UNKNOWN" },
  ])("a private chat of the config is whose the platform says: $people, $isFixed", async (given) => {
    const { platform, gateway, terminal, until, clock } = machine({
      ...OPTIONS,
      places: { notes: { chatId: "dm-7" } },
    });
    platform.peopleIn.set("dm-7", given.people);
    platform.arePeopleFixed = given.isFixed;
    await gateway();
    const { store } = await terminal();
    await until(async () => (await store.places.list()).some(({ word }) => word === "config"));
    const to = await resolvePlace(store, "loopback/notes");
    if (to.kind === "terminal") throw new Error("a chat is meant");
    const outlook = checkHandoff({ store, clock }, { sessionId: null, to });
    if (given.refused) await expect(outlook).rejects.toMatchObject({ code: given.refused });
    else expect((await outlook).audience).toBe(given.reads);
  });

  test("a home channel without a name is called what the platform calls it", async () => {
    const { gateway, terminal, until, clock } = machine({ ...OPTIONS, homeChannel: { chatId: "team", shared: true } });
    await gateway();
    const { store } = await terminal();
    const outlook = () => checkHandoff({ store, clock }, { sessionId: null, to: homeOf("loopback") });
    await until(async () => (await outlook()).audience === "Everybody in Team");
    const home = (await placesDocument(store)).places.find(({ kind }) => kind === "home");
    expect(home).toMatchObject({ name: "Team", readBy: "Everybody in Team" });
  });

  test("a chat whose name nobody knows is called by its kind and id", async () => {
    const { terminal } = machine(OPTIONS);
    const { store } = await terminal();
    const conversation = { platform: "loopback", chatId: "street", kind: "group" } as const;
    const key = "agent:main:loopback:group:street" as SessionKey;
    const to = {
      kind: "conversation",
      platform: "loopback",
      account: undefined,
      key,
      conversation,
      name: null,
    } as const;
    expect(await readersAt(store, to, { home: null })).toBe("Everybody in a channel on loopback (street)");
  });

  test("a place is called by its name from the moment when the session is there", async () => {
    const held = gate();
    const script: ScriptedAnswer[] = ["The plan.", [{ hold: held }, { say: "It stands well." }]];
    const { gateway, terminal, until, clock } = machine(
      { ...OPTIONS, homeChannel: { chatId: "team", name: "Team", shared: true } },
      script,
    );
    await gateway();
    const host = await terminal();
    const { store } = host;
    const sessionId = await terminalSession(host);
    await requestHandoff({ store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await store.bindings.of(sessionId)).length > 0);
    const there = await readersOf(store, sessionId);
    expect(there.map(({ text }) => text)).toEqual(["Others in Team › Plan on loopback can read this session."]);
    held.open();
  });

  test("an allowed person reads their private chat, and a stranger's is no target", async () => {
    const { gateway, terminal, until, clock } = machine(OPTIONS);
    await gateway();
    const host = await terminal();
    await until(async () => (await host.store.grants.current({ platform: "loopback", account: undefined })) !== null);
    const private_ = (id: string, name = id) => {
      const conversation = { platform: "loopback", chatId: `dm-${id}`, kind: "dm" } as const;
      const author = { platform: "loopback", account: undefined, senderId: id, aliases: [], conversation };
      const key = `agent:main:loopback:dm:dm-${id}` as SessionKey;
      return host.store.places.note({ key, conversation, name, word: "heard", person: { author, name } });
    };
    for (const id of ["ada", "mallory", "person"]) await private_(id);
    const sessionId = await terminalSession(host);
    const outlook = async (name: string, by?: UserId) => {
      const to = await resolvePlace(host.store, `loopback/${name}`);
      if (to.kind === "terminal") throw new Error("a chat is meant");
      return (await checkHandoff({ store: host.store, clock }, { sessionId, to, by })).audience;
    };
    expect(await outlook("ada")).toBe("ada");
    // Another operator reads there, unless they hand it off themselves.
    expect(await outlook("person")).toBe("person");
    expect(await outlook("person", "loopback:person" as UserId)).toBeNull();
    // Whoever calls themselves like somebody's chat is not taken for it.
    await private_("mallory", "dm-ada");
    expect(await outlook("dm-ada")).toBe("ada");
    await expect(outlook("dm-mallory")).rejects.toMatchObject({ code: "PLACE_OF_STRANGER" });
  });
});

test("a chat is an operator's no longer once their id is somebody else's", async () => {
  const { platform, gateway, until } = machine({ operators: ["+1"] });
  platform.numbers.set("ada", "+1");
  const { store } = (await gateway()).host;
  await platform.write("Hi", { chatId: "dm-ada", sender: { id: "ada" } });
  await until(async () => (await store.places.list()).some(({ conversation: at }) => at.chatId === "dm-ada"));
  const to = await resolvePlace(store, "loopback/dm-ada");
  if (to.kind !== "conversation") throw new Error("a chat is meant");
  expect(await readersAt(store, to, { home: null })).toBe("ada");
  expect(await readersAt(store, to, { home: null }, "loopback:ada" as UserId)).toBeNull();
  platform.numbers.delete("ada");
  platform.numbers.set("mallory", "+1");
  await platform.write("Hi", { chatId: "dm-mallory", sender: { id: "mallory" } });
  await expect(readersAt(store, to, { home: null })).rejects.toMatchObject({ code: "PLACE_OF_STRANGER" });
});

describe("/handoff on a platform", () => {
  test("a session that others would read is handed off only with the word yes", async () => {
    const { platform, gateway, until } = machine(OPTIONS);
    const { host } = await gateway();
    await platform.write("Hi", { chatId: "team", isAddressed: true });
    await until(async () => (await host.store.places.list()).some(({ name }) => name === "Team"));
    await platform.write("Hi");
    await until(() => platform.textsIn("home").length > 0);
    await platform.write("/handoff loopback/#team");
    await until(() => platform.textsIn("home").some((text) => text.includes("Everybody in Team would be able")));
    expect(platform.textsIn("home").at(-1)).toContain("/handoff loopback/#team yes");
    expect(platform.threads).toEqual([]);
    await platform.write("/handoff loopback/#team yes");
    await until(() => platform.threads.length > 0);
    expect(platform.threads).toMatchObject([{ chatId: "team" }]);
  });

  test("in a shared chat, only an operator hands off, and only sessions begun there", async () => {
    const { platform, gateway, until } = machine(OPTIONS);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").length > 0);
    const { id } = await begun(host);
    const team = { chatId: "team", isAddressed: true } as const;
    await platform.write("Hi", { ...team, sender: { id: "ada" } });
    await until(() => platform.textsIn("team").length === 1);
    await platform.write("/handoff loopback", { ...team, sender: { id: "ada" } });
    await until(() => platform.textsIn("team").length === 2);
    expect(platform.textsIn("team").at(-1)).toContain("operator");

    const at = (await host.store.places.list()).find(({ conversation }) => conversation.chatId === "team");
    if (!at) throw new Error("the team is not known");
    await host.store.bindings.bind({ key: at.key, conversation: at.conversation, sessionId: id, mirrors: false });
    await platform.write("/handoff terminal", team);
    await until(() => platform.textsIn("team").some((text) => text.includes("begun in this chat")));
    await platform.write("/new", team);
    await platform.write("Hi", team);
    await until(() => platform.textsIn("team").length >= 5);
    await platform.write("/handoff loopback", team);
    await until(() => platform.threads.length > 0);
    expect(platform.threads).toMatchObject([{ chatId: "home" }]);
  });

  test("a session goes from a platform to the terminal and back", async () => {
    const { platform, gateway, terminal, until, clock } = machine(OPTIONS, ["Hello.", "In the terminal.", "Back."]);
    const { host } = await gateway();
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Hello."));
    await platform.write("/title Plan");
    await until(async () => (await begun(host)).title === "Plan");
    await platform.write("/handoff terminal");
    await until(() => platform.textsIn("home").includes("“Plan” goes on in the terminal."));
    const { id } = await begun(host);
    const there = await terminal();
    expect(await there.store.handoffs.offeredToTerminal()).toMatchObject([{ sessionId: id, state: "completed" }]);
    const message = { role: "user", text: "Go on", surface: "terminal" } as const;
    const turn = { sessionId: id, cause: { kind: "terminal" }, surface: "terminal", message, tools: true } as const;
    await there.runner.run(turn);
    await requestHandoff({ store: there.store, clock }, { sessionId: id, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await stateOf(host, id)) === "completed" && platform.threads.length === 1);
    expect(platform.textsIn("home").filter((text) => /goes on|continues/.test(text))).toEqual([
      "“Plan” goes on in the terminal.",
    ]);
    expect((await wayOfSession(host.store, id)).map(({ from, to }) => `${from} → ${to}`)).toEqual([
      "loopback → terminal",
      "terminal → loopback › Home › Plan",
    ]);
  });
});

test("a place of the config that cannot be reached is named with the reason", async () => {
  const { platform, gateway, until, clock } = machine({ ...OPTIONS, places: { ops: { chatId: "street" } } }, [
    "Hello.",
  ]);
  const fields = { platform: "loopback", reason: "the bot is not in that chat", hint: "Invite it." };
  let isThere = false;
  platform.onCall = async (call, body) => {
    const isOps = call === "homeConversation" && JSON.stringify(body).includes("street");
    if (isOps && !isThere) throw new PlatformError("PLATFORM_REJECTED", fields);
  };
  const { host } = await gateway();
  const { store } = host;
  await until(async () => (await placesDocument(store)).unreachable.length > 0);
  expect((await placesDocument(store)).unreachable).toEqual([
    { type: "loopback/ops", reason: expect.stringContaining("the bot is not in that chat") },
  ]);
  for (const typed of ["loopback/ops", "ops"]) {
    await expect(resolvePlace(store, typed)).rejects.toMatchObject({
      code: "PLACE_UNREACHABLE",
      message: expect.stringContaining("the bot is not in that chat"),
    });
  }
  await platform.write("Hi");
  await until(() => platform.textsIn("home").includes("Hello."));
  await platform.write("/handoff loopback/ops");
  await until(() => platform.textsIn("home").some((text) => text.includes("cannot be reached: ")));
  isThere = true;
  await clock.advance(5_000);
  await until(async () => (await placesDocument(store)).unreachable.length === 0);
  expect(await resolvePlace(store, "ops")).toMatchObject({ kind: "conversation" });
});
