import { gate } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { senderOf } from "../../adapter/identity.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import { homeNotice } from "../../model/home-notice.ts";
import { homeOf } from "../../model/place.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

const HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;
const ACCOUNT = { platform: "loopback", account: undefined };

/** Messages of the home channel were taken in before anybody was recorded, as in a store of an earlier version. */
async function usedBefore({ inbox }: Store): Promise<void> {
  const message = { conversation: HOME, messageId: "old", sender: { id: "person" }, text: "Hello", sentAt: 0 };
  const accepted = await inbox.acceptInbound(buildSessionKey(HOME), message);
  if (accepted.outcome === "accepted") await inbox.settle(accepted.row.id, []);
}

describe("the operator of a private home channel", () => {
  it("the home has no operator after an update until the terminal says who", async () => {
    const { platform, gateway, terminal, until } = machine();
    const { store } = await terminal();
    await usedBefore(store);
    const served = await gateway();
    expect(served.gateway.describe()[0]?.notice).toContain("`hermes home operator loopback person`");
    await platform.write("/whoami");
    expect(await store.users.refused("loopback", undefined)).toBe(1);
    const [home] = await store.homePeople.list();
    if (home === undefined) throw new Error("the home channel is not known");
    await store.homePeople.set(home, "person", "terminal");
    await until(() => served.gateway.describe()[0]?.notice === undefined);
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("You are the operator")));
  });

  it("nobody is the operator of a home with several people, unless configured", async () => {
    for (const operators of [[], ["person"]]) {
      const { platform, gateway, terminal, until } = machine({ operators });
      platform.people = ["person", "mallory"];
      const { store } = await terminal();
      await gateway();
      await platform.write("/whoami", { sender: { id: "mallory" } });
      expect(await store.users.refused("loopback", undefined)).toBe(1);
      await platform.write("/whoami");
      if (operators.length > 0) await until(() => platform.textsIn("home").length === 1);
      else expect(await store.users.refused("loopback", undefined)).toBe(2);
    }
  });

  it("the person who wrote /sethome is the operator, and nobody who joins later", async () => {
    const { platform, gateway, until } = machine({ homeChannel: undefined, operators: ["person"] });
    const { host } = await gateway();
    await platform.write("/sethome");
    await until(() => platform.textsIn("home").length === 1);
    expect(await host.store.homePeople.list()).toMatchObject([{ home: "home", person: "person", word: "sethome" }]);
    platform.people = ["mallory"];
    await platform.write("/whoami", { sender: { id: "mallory" } });
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
  });

  it("a message that arrives before the operator is known is refused for a retry", async () => {
    const { platform, gateway, until, clock } = machine();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    platform.fail("homeConversation", unavailable, 2);
    const { host } = await gateway();
    await expect(platform.write("/whoami")).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    expect(await host.store.users.refused("loopback", undefined)).toBe(0);
    await clock.advance(5_000);
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("You are the operator")));
  });

  it("a recorded operator stays known while the platform is unreachable", async () => {
    const { platform, gateway, until } = machine();
    await (await gateway()).end();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    platform.fail("homeConversation", unavailable, 100);
    await gateway();
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("You are the operator")));
  });

  it("status reports others who joined the home channel, even if nobody writes", async () => {
    const { platform, gateway, clock, until } = machine();
    const { gateway: served } = await gateway();
    expect(served.describe()[0]?.notice).toBeUndefined();
    platform.people = ["person", "mallory"];
    await clock.advance(300_000);
    await until(() => served.describe()[0]?.notice?.includes("mallory as well as person") === true);
  });

  it("status reports who joined a home that a message had the platform asked for", async () => {
    const { platform, gateway, clock, until } = machine();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    platform.fail("homeConversation", unavailable, 1);
    const { gateway: served } = await gateway();
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").length > 0);
    platform.people = ["person", "mallory"];
    await clock.advance(310_000);
    expect(served.describe()[0]?.notice).toContain("mallory as well as person");
  });

  it("a home that a message had asked for stays reachable though an earlier ask fails", async () => {
    const { platform, gateway, clock, until } = machine();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    platform.fail("homeConversation", unavailable, 1);
    const { gateway: served } = await gateway();
    const slow = gate();
    let asks = 0;
    platform.onCall = async (call) => {
      if (call === "homeConversation" && ++asks === 1) {
        await slow.pass();
        throw unavailable;
      }
    };
    await clock.advance(5_000);
    await slow.reached;
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").length > 0);
    slow.open();
    await clock.advance(5_000);
    expect(served.describe()[0]?.health).toEqual({ state: "up" });
  });

  it("a home of which the platform names nobody any more is not taken for an empty one", async () => {
    const { platform, gateway, until } = machine({}, ["The plan."]);
    await (await gateway()).end();
    platform.lacks = ["peopleAt"];
    const { host, gateway: served } = await gateway();
    await platform.write("What is the plan?");
    await until(() => platform.textsIn("home").includes("The plan."));
    expect(await host.store.deliveries.list({ limit: 9 })).toEqual([]);
    expect(served.describe()[0]?.notice).toBeUndefined();
  });

  it("whom the terminal names is the operator where the platform tells nobody", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    platform.lacks = ["peopleAt"];
    const host = await terminal();
    const sessionId = await terminalSession(host);
    const { gateway: served } = await gateway();
    expect(served.describe()[0]?.notice).toContain("`hermes home operator loopback <id>`");
    const [home] = await host.store.homePeople.list();
    if (home === undefined) throw new Error("the home channel is not known");
    const set = await host.store.homePeople.set(home, "person", "terminal");
    expect(homeNotice(set, [])).toBeNull();
    await until(() => served.describe()[0]?.notice === undefined);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("You are the operator")));
  });

  it("an operator recorded where nobody was reported as present gets handoffs", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    platform.lacks = ["peopleAt"];
    const host = await terminal();
    const sessionId = await terminalSession(host);
    const seen = { ...ACCOUNT, home: "home", chat: buildSessionKey(HOME), name: null, isPrivate: true, isFixed: false };
    await host.store.homePeople.set({ ...seen, present: ["person"] }, "person", "terminal");
    await host.store.homePeople.see({ ...seen, present: [] });
    const { gateway: served } = await gateway();
    expect(served.describe()[0]?.notice).toBeUndefined();
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
  });

  it.each([
    homeOf("loopback"),
    { kind: "conversation", ...ACCOUNT, key: buildSessionKey(HOME), conversation: HOME, name: null },
  ] as const)("a handoff opens nothing where a stranger is as the gateway starts, to the $kind", async (to) => {
    const { platform, gateway, terminal, until } = machine();
    await (await gateway()).end();
    const host = await terminal();
    const { store } = host;
    const sessionId = await terminalSession(host);
    expect(await store.handoffs.requestHandoff(sessionId, to)).toMatchObject({ ok: true });
    platform.people = ["person", "mallory"];
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    platform.fail("homeConversation", unavailable, 1);
    await gateway();
    await until(async () => (await store.handoffs.latestOf(sessionId))?.state !== "pending");
    await until(async () => (await store.handoffs.latestOf(sessionId))?.state !== "running");
    expect(await store.handoffs.latestOf(sessionId)).toMatchObject({
      state: "failed",
      error: { code: "HOME_PEOPLE_CHANGED" },
    });
    expect(platform.threads).toEqual([]);
  });

  it("nobody becomes operator when the home channel's name leads to another chat", async () => {
    const { platform, gateway, terminal } = machine({ homeChannel: { chatId: "#home" } });
    const { store } = await terminal();
    const moved = { ...HOME, chatId: "elsewhere" };
    await store.homePeople.see({
      ...{ ...ACCOUNT, home: "#home", chat: buildSessionKey(moved), name: null },
      ...{ isPrivate: true, present: ["ada"], isFixed: false },
    });
    await gateway();
    await platform.write("/whoami");
    expect(await store.users.refused("loopback", undefined)).toBe(1);
  });
});

it("a message that waits is answered by what its writer may do when its turn comes", async () => {
  const held = gate();
  const { platform, gateway, model, until } = machine({ homeChannel: undefined, allowedUsers: ["+1", "other"] });
  model.push([{ hold: held }, { say: "First." }]);
  const { host } = await gateway();
  const note = (strong: string) =>
    host.store.identities.note(ACCOUNT, {
      ids: [
        { id: "+1", strength: "weak" },
        { id: strong, strength: "strong" },
      ],
      ...{ keys: [strong], word: "message", keep: true },
    });
  const person = await note("ada");
  await platform.write("Begin", { sender: { id: "other" } });
  await until(() => model.requests.length === 1);
  await platform.write("And mine?", { sender: senderOf(person) });
  // The number that let them in is somebody else's by now.
  await note("mallory");
  held.open();
  await until(async () => (await host.store.inbox.openLanes("loopback", undefined)).length === 0);
  expect(model.requests).toHaveLength(1);
});
