import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import { resolvePlace } from "../../handoff/resolve-place.ts";
import type { Host } from "../../host/host.ts";
import { OPERATOR } from "../../model/session.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";

afterEach(disposeMachines);

const conversation = { platform: "loopback", chatId: "dm-ada", kind: "dm" } as const;
const KEY = buildSessionKey(conversation);
const ADA = { chatId: "dm-ada", sender: { id: "ada", name: "Ada" } };
const EVE = { chatId: "dm-eve", sender: { id: "eve", name: "Eve" } };
const PARTED = /^You no longer have access to this chat's session/;

/** Ada is an operator by the config, and her private chat leads to a session of the operator's. */
async function withOperator(script: Parameters<typeof machine>[1] = []) {
  const options: { -readonly [Key in keyof PlatformOptions]?: PlatformOptions[Key] } = { operators: ["ada"] };
  const on = machine(options, script);
  let served = await on.gateway();
  const { store, runner } = served.host;
  const session = await store.sessions.create({ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null });
  const message = { role: "user", text: "The secret plan" } as const;
  await runner.run({ sessionId: session.id, cause: { kind: "terminal" }, surface: "terminal", message, tools: false });
  const said = (chatId = "dm-ada") => on.platform.textsIn(chatId);
  /** The first turn of a process loads what it needs, which takes its time. */
  const until = async (isSo: () => boolean | Promise<boolean>, times = 20): Promise<void> => {
    if (times <= 1) return on.until(isSo);
    await on.until(isSo).catch(() => until(isSo, times - 1));
  };
  const writes = async (text: string, as = ADA) => {
    const before = said(as.chatId).length;
    await on.platform.write(text, as);
    await until(() => said(as.chatId).length > before);
    return said(as.chatId).slice(before);
  };
  await writes("/resume Plan");
  return {
    ...on,
    ...{ session, said, writes, until },
    /** The config names her as somebody who may talk, and the gateway is started with it. */
    async demote(meanwhile: (host: Host) => Promise<unknown> = async () => {}, isKilled = false): Promise<Host> {
      if (isKilled) served.die();
      else await served.end();
      const terminal = await on.terminal();
      await meanwhile(terminal);
      Object.assign(options, { operators: [], allowedUsers: ["ada"] });
      served = await on.gateway();
      if (isKilled) await on.clock.advance(20_000);
      return served.host;
    },
    async promote(): Promise<Host> {
      await served.end();
      Object.assign(options, { operators: ["ada"], allowedUsers: [] });
      served = await on.gateway();
      return served.host;
    },
  };
}

describe("an operator of the config who becomes a member by it", () => {
  it("reads nothing of the session that their private chat led to, by whatever command", async () => {
    const on = await withOperator();
    const { store } = await on.demote();
    const commands = ["/export", "/status", "/sessions", "/undo", "/retry", "/continue", "/title", "/whoami"];
    for (const command of commands) {
      await store.bindings.bind({ key: KEY, conversation, sessionId: on.session.id, mirrors: false });
      const before = on.said().length;
      await on.platform.write(command, ADA);
      await on.until(() => on.said().length >= before + 2);
      const [parted, ...others] = on.said().slice(before);
      expect([command, parted]).toEqual([command, expect.stringMatching(PARTED)]);
      expect([command, others.join()]).toEqual([command, expect.not.stringMatching(/secret|Plan/)]);
      expect((await store.bindings.get(KEY))?.sessionId).not.toBe(on.session.id);
    }
    const files = on.platform.messages.flatMap((message) => JSON.stringify(message));
    expect(files.filter((file) => file.includes("The secret plan"))).toHaveLength(1);
  });

  it("somebody demoted is not sent the list of all sessions that they asked for", async () => {
    const on = await withOperator();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    on.platform.onPeopleAt = () => {
      throw unavailable;
    };
    await on.platform.write("/new", ADA);
    await on.platform.write("/sessions", ADA);
    const { store } = await on.terminal();
    const waiting = () => store.deliveries.list({ waiting: true, limit: 9 });
    await on.until(async () => (await waiting()).some(({ message }) => message.markdown.includes("**Plan**")));
    await on.demote();
    const before = on.said().length;
    on.platform.onPeopleAt = () => {};
    await on.platform.write("/whoami", ADA);
    await on.until(() => on.said().some((text) => text.includes("an allowed user")));
    expect(on.said().slice(before).join()).not.toContain("Plan");
  });

  it("a reply to an operator waits until a new gateway has found the home channel", async () => {
    const on = await withOperator();
    await on.writes("/new");
    on.platform.onPeopleAt = () => {
      throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    };
    await on.platform.write("/sessions", ADA);
    const { store } = await on.terminal();
    const waits = async () => {
      const [head] = await store.deliveries.list({ waiting: true, limit: 9 });
      return head?.message.markdown.includes("**Plan**") === true;
    };
    await on.until(waits);
    const before = on.said().length;
    const found = gate();
    on.platform.onCall = (call) => (call === "homeConversation" ? found.pass() : Promise.resolve());
    on.platform.onPeopleAt = () => {};
    const started = on.promote();
    await on.until(() => found.reached.then(() => true));
    await on.clock.advance(10_000);
    expect(await waits()).toBe(true);
    found.open();
    await started;
    await on.until(() => on.said().length > before);
    expect(on.said().slice(before).join()).toContain("Plan");
  });

  it("begins a session of their own with their next message, and is told once", async () => {
    const on = await withOperator();
    const { store } = await on.demote();
    const { messageCount } = (await store.sessions.get(on.session.id)) ?? {};
    await on.platform.write("What is the plan?", ADA);
    await on.until(() => on.said().some((text) => text === "An answer."));
    await on.platform.write("And now?", ADA);
    await on.until(() => on.said().filter((text) => text === "An answer.").length === 2);
    expect(on.said().filter((text) => PARTED.test(text))).toHaveLength(1);
    const requests = on.model.requests.slice(1).map(({ messages }) => messages.map(({ text }) => text).join());
    expect(requests.join()).not.toContain("The secret plan");
    expect(await store.sessions.get(on.session.id)).toMatchObject({ messageCount });
    const { user } = (await store.sessions.get((await store.bindings.get(KEY))?.sessionId ?? on.session.id)) ?? {};
    expect(user).toBe("loopback:ada");
  });

  it("somebody demoted is sent nothing of it that waited, and everything else", async () => {
    const on = await withOperator();
    const before = on.said().length;
    await on.demote(({ store }) =>
      store.outbox.enqueue([
        ...["One secret", "Another secret"].map((markdown) => ({
          ...{ key: KEY, conversation, sessionId: on.session.id },
          message: { kind: "answer", markdown } as const,
        })),
        { key: KEY, conversation, message: { kind: "notice", markdown: "Hello" } },
      ]),
    );
    await on.until(() => on.said().length > before);
    expect(on.said().slice(before)).toEqual(["Hello"]);
  });

  it("goes on where they were once the config names them again", async () => {
    const on = await withOperator();
    await on.demote();
    const { store } = await on.promote();
    expect((await on.writes("/status")).join()).toMatch(/^\*\*Plan\*\*/);
    expect((await store.bindings.get(KEY))?.sessionId).toBe(on.session.id);
  });

  it("keeps the session that they began themselves", async () => {
    const on = await withOperator();
    await on.writes("/new");
    await on.writes("My own plan");
    const { store } = await on.demote();
    expect((await on.writes("/status")).join()).toContain("My own plan");
    expect(on.said().filter((text) => PARTED.test(text))).toEqual([]);
    expect((await store.bindings.get(KEY))?.sessionId).not.toBe(on.session.id);
  });

  it("reads nothing of what their turn, which was cut off, would have gone on to say", async () => {
    const held = gate();
    const on = await withOperator([[{ say: "An answer." }], [{ say: "Half of a secret" }, { hold: held }]]);
    await on.platform.write("Go on", ADA);
    await on.until(() => on.model.requests.length === 2);
    const { store } = await on.demote(undefined, true);
    held.open();
    await on.until(() => on.said().some((text) => text.includes("Send it again if you still want it.")));
    expect(on.model.requests).toHaveLength(2);
    expect(on.said().slice(1).join()).not.toContain("secret");
    expect((await store.bindings.get(KEY))?.sessionId).not.toBe(on.session.id);
  });
});

describe("a pass of an operator of the config who becomes a member by it", () => {
  async function withGuest() {
    const on = await withOperator();
    const pass = async () => /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec((await on.writes("/pass anyone")).join())?.[0] ?? "";
    await on.writes(await pass(), EVE);
    await on.writes("Hello", EVE);
    return { ...on, unused: await pass() };
  }

  it("its guest is a stranger, and is sent nothing that waited for them", async () => {
    const on = await withGuest();
    const before = on.said("dm-eve");
    const at = { platform: "loopback", chatId: "dm-eve", kind: "dm" } as const;
    const { store } = await on.demote(({ store: shared }) =>
      shared.outbox.enqueue([
        {
          ...{ key: buildSessionKey(at), conversation: at, sessionId: on.session.id },
          message: { kind: "answer", markdown: "A secret" },
        },
      ]),
    );
    await on.platform.write("And now?", EVE);
    await on.platform.write(on.unused, EVE);
    await on.clock.advance(5_000);
    expect(on.said("dm-eve")).toEqual(before);
    expect(await store.users.refused("loopback", undefined)).toBe(2);
    expect((await store.people.standing({ platform: "loopback", account: undefined }, "eve")).people.guests).toEqual(
      [],
    );
  });
});

describe("a session that is handed to a member's private chat", () => {
  const BOB = { chatId: "dm-bob", sender: { id: "bob", name: "Bob" } };

  async function handed() {
    const on = await withOperator();
    const { store } = await on.demote();
    const terminal = await on.terminal();
    const bob = await store.people.add({ name: "Bob", role: "member" });
    await store.people.link({ platform: "loopback", account: undefined, key: "bob" }, bob.id, "terminal", "Bob");
    await on.writes("Hi", BOB);
    const grace = await store.people.add({ name: "Grace", role: "operator" });
    const to = await resolvePlace(store, "loopback/Bob");
    if (to.kind === "terminal") throw new Error("a chat is meant");
    const wish = { sessionId: on.session.id, to, by: grace.id, from: "terminal" } as const;
    const { audience } = await requestHandoff({ store: terminal.store, clock: on.clock }, wish);
    expect(audience).toBe("Bob");
    const state = async () => (await store.handoffs.latestOf(on.session.id))?.state;
    await on.until(async () => (await state()) === "completed");
    const key = (await store.handoffs.latestOf(on.session.id))?.conversation;
    const thread = { ...BOB, threadId: key?.threadId };
    return { ...on, store, bob, grace, thread, at: buildSessionKey(key ?? conversation) };
  }

  it("they go on with it, for as long as who handed it to them may give it", async () => {
    const on = await handed();
    const requests = on.model.requests.length;
    await on.platform.write("Go on", on.thread);
    await on.until(() => on.model.requests.length > requests);
    expect(JSON.stringify(on.model.requests.at(-1)?.messages)).toContain("The secret plan");
    expect(await on.store.codes.passAt(on.at)).toMatchObject({ issuer: on.grace.id, person: on.bob.id });
    await on.store.people.setRole(on.grace.id, "member");
    await on.platform.write("And now?", on.thread);
    await on.until(() => on.model.requests.length > requests + 1);
    expect(JSON.stringify(on.model.requests.at(-1)?.messages)).not.toContain("The secret plan");
  });
});
