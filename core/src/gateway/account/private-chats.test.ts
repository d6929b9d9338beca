import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { describeDelivery } from "../../overview/delivery-document.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

const HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;
const KEPT = "This could not be delivered before:";

async function keptIn(store: Store): Promise<(string | undefined)[]> {
  return (await store.deliveries.list({ limit: 9 })).map(({ error }) => error?.code);
}

describe.each([
  ["home", "person", "HOME_PEOPLE_CHANGED"],
  ["dm-grace", "grace", "CHAT_NOT_PRIVATE"],
])("an answer in a private chat that others come into (%s)", (chatId, person, code) => {
  const at = { chatId, sender: { id: person } };

  async function asked() {
    const held = gate();
    const on = machine({ operators: ["person", "grace"] }, [
      [{ hold: held }, { say: "The secret plan." }],
      "The rest.",
    ]);
    on.platform.peopleIn.set("dm-grace", ["grace"]);
    const served = await on.gateway();
    await on.platform.write("What is the plan?", at);
    await on.until(() => held.reached.then(() => true));
    const come = (people: readonly string[]) => {
      on.platform.people = people;
      on.platform.peopleIn.set("dm-grace", people);
    };
    return { ...on, store: served.host.store, served: served.gateway, held, come };
  }

  it.each([["mallory"], [person, "mallory"]])(
    "an answer is kept, and said before the next one when the others have left",
    async (...there) => {
      const { platform, store, held, come, until } = await asked();
      come(there);
      held.open();
      await until(async () => (await keptIn(store)).length > 0);
      expect(await keptIn(store)).toEqual([code]);
      expect(platform.textsIn(chatId)).toEqual([]);
      come([person]);
      await platform.write("Go on", at);
      await until(() => platform.textsIn(chatId).includes("The rest."));
      expect(platform.textsIn(chatId)).toEqual([KEPT, "The secret plan.", "The rest."]);
      expect(await keptIn(store)).toEqual([]);
    },
  );

  it("an answer whose session is deleted before it goes out is kept from others, too", async () => {
    const { platform, store, held, come, until, clock } = await asked();
    const busy = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is busy" });
    platform.onCall = async (call) => {
      if (call === "send") throw busy;
    };
    held.open();
    const key = buildSessionKey({ ...HOME, chatId });
    await until(async () => ((await store.outbox.head(key))?.attempts ?? 0) > 0);
    const { sessionId } = (await store.bindings.get(key)) ?? {};
    if (sessionId === undefined) throw new Error("the chat leads to no session");
    await until(async () => (await store.turns.running(sessionId)) === null);
    come([person, "mallory"]);
    await store.sessions.delete(sessionId);
    platform.onCall = async () => {};
    await clock.advance(300_000);
    await until(async () => (await keptIn(store)).length > 0 || platform.textsIn(chatId).length > 0);
    expect(platform.textsIn(chatId)).toEqual([]);
    const [kept] = await store.deliveries.list({ limit: 9 });
    if (kept === undefined) throw new Error("nothing is kept");
    expect([kept.error?.code, (await describeDelivery(store, kept)).name]).toEqual([
      code,
      expect.stringMatching(/ \(deleted\)$/),
    ]);
    come([person]);
    await store.deliveries.retry(kept.id);
    await until(() => platform.textsIn(chatId).length > 0);
    expect(platform.textsIn(chatId)).toEqual(["The secret plan."]);
  });

  it("a kept answer is not even mentioned while the others are there", async () => {
    const { platform, store, held, come, until } = await asked();
    come([person, "mallory"]);
    held.open();
    await until(async () => (await keptIn(store)).length === 1);
    await platform.write("Go on", at);
    await until(async () => (await keptIn(store)).length === 2);
    expect(platform.textsIn(chatId)).toEqual([]);
  });

  it.each(["/sessions", "/export", "/status", "/resume 7", "/model"])(
    "what %s replies is kept while others are there, and nothing mentions it",
    async (command) => {
      const { platform, store, held, come, until } = await asked();
      held.open();
      await until(() => platform.textsIn(chatId).includes("The secret plan."));
      come([person, "mallory"]);
      await platform.write(command, at);
      await until(async () => (await keptIn(store)).length === 1);
      await platform.write("/whoami", at);
      await until(() => platform.textsIn(chatId).length === 2);
      expect(await keptIn(store)).toEqual([code]);
      await platform.write("Go on", at);
      await until(async () => (await keptIn(store)).length === 2);
      expect(platform.textsIn(chatId)).toHaveLength(2);
      come([person]);
      await platform.write("Go on", at);
      await until(() => platform.textsIn(chatId).includes("The rest."));
      expect(platform.textsIn(chatId)[2]).toBe(KEPT);
      expect(await keptIn(store)).toEqual([]);
    },
  );

  it("waits while the platform does not say who is there", async () => {
    const { platform, store, held, come, until, clock } = await asked();
    const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
    let asks = 0;
    platform.onPeopleAt = () => {
      asks++;
      throw unavailable;
    };
    held.open();
    await until(() => asks > 0);
    asks = 0;
    for (let second = 0; second < 20; second++) await clock.advance(1_000);
    // A platform that is down is asked now and then.
    expect(asks).toBeLessThan(6);
    expect(platform.textsIn(chatId)).toEqual([]);
    expect(await keptIn(store)).toEqual([]);
    platform.onPeopleAt = () => {};
    come([person]);
    await until(() => platform.textsIn(chatId).length > 0);
    expect(platform.textsIn(chatId)).toEqual(["The secret plan."]);
  });
});

describe("a private home channel with others in it", () => {
  it("a home that others read is told nothing from the terminal, and status says why", async () => {
    const { platform, gateway, until } = machine();
    const { host, gateway: served } = await gateway();
    await platform.write("Hello");
    await until(() => platform.textsIn("home").length === 1);
    const binding = await host.store.bindings.get(buildSessionKey(HOME));
    if (binding === null) throw new Error("nothing is bound");
    await host.store.bindings.bind({ ...binding, mirrors: true });
    platform.people = ["person", "mallory"];
    await host.runner.run({
      ...{ sessionId: binding.sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text: "A secret" },
    });
    await until(async () => (await host.store.outbox.head(buildSessionKey(HOME))) === null);
    expect(platform.textsIn("home")).toHaveLength(1);
    expect(served.describe()[0]?.notice).toContain("nothing of sessions is said there");
    // What tells nothing of a session is answered.
    await platform.write("/whoami");
    await until(() => platform.textsIn("home").length === 2);
  });

  it("a home is its people's again when the terminal records whoever is there", async () => {
    const { platform, gateway, until } = machine({ operators: ["person"] });
    const { host } = await gateway();
    platform.people = ["grace"];
    const { store } = host;
    await platform.write("Hello");
    await until(async () => (await keptIn(store)).length === 1);
    const [home] = await store.homePeople.list();
    if (home === undefined) throw new Error("the home channel is not known");
    await store.homePeople.set(home, "grace", "terminal");
    await platform.write("And now?", { sender: { id: "grace" } });
    await until(() => platform.textsIn("home").includes("An answer."));
  });
});
