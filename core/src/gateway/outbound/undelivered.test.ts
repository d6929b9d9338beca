import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import { homeOf } from "../../model/place.ts";

afterEach(disposeMachines);

const HOME_KEY = buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" });

const blocked = () =>
  new PlatformError("PLATFORM_FORBIDDEN", {
    platform: "loopback",
    reason: "you are blocked",
    hint: "Unblock the bot.",
  });

describe("a message that the platform refuses for good", () => {
  it("offers an undelivered message before the next answer that is not refused too", async () => {
    const { platform, gateway, until } = machine({}, ["One.", "Two.", "Three."]);
    const { store } = (await gateway()).host;
    platform.onCall = async (call) => {
      if (call === "send") throw blocked();
    };
    for (const count of [1, 2]) {
      await platform.write("Hi");
      await until(async () => (await store.deliveries.list({ limit: 5 })).length === count);
      await until(async () => (await store.outbox.head(HOME_KEY)) === null);
    }
    expect(platform.textsIn("home")).toEqual([]);
    platform.onCall = async () => {};
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Three."));
    expect(platform.textsIn("home")).toEqual(["This could not be delivered before:", "One.", "Two.", "Three."]);
  });

  it.each([
    ["was lost", new Error("the answer of the platform is lost")],
    ["became an outage", new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" })],
  ])("a message refused after its answer %s is offered as one that may be there", async (_, lost) => {
    const { platform, gateway, until } = machine({}, ["One.", "Two."]);
    platform.capabilities = { ...platform.capabilities, edits: false };
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      platform.onSent = () => {};
      platform.fail("send", blocked(), 1);
      throw lost;
    };
    await platform.write("Hi");
    await until(async () => (await store.outbox.head(HOME_KEY)) === null);
    await until(async () => (await store.deliveries.list({ limit: 5 })).length === 1);
    expect(await store.deliveries.list({ limit: 5 })).toMatchObject([
      { state: "uncertain", error: { code: "PLATFORM_UNCERTAIN", text: expect.stringContaining("you are blocked") } },
    ]);
    await platform.write("Hi again");
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual(["One.", "This may not have reached you before:", "One.", "Two."]);
  });

  it("a message is offered as uncertain once an outage outlasts its attempts", async () => {
    const { platform, gateway, until, clock } = machine({}, ["One.", "Two."]);
    platform.capabilities = { ...platform.capabilities, edits: false };
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" });
    };
    await platform.write("Hi");
    await until(async () => {
      await clock.advance(300_000);
      return (await store.outbox.head(HOME_KEY)) === null && platform.textsIn("home").length > 0;
    });
    expect(await store.deliveries.list({ limit: 5 })).toMatchObject([{ state: "uncertain" }]);
    platform.onSent = () => {};
    await platform.write("Hi again");
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual(["One.", "This may not have reached you before:", "One.", "Two."]);
  });

  it("what may be there is told once it is refused below its notice", async () => {
    const { platform, gateway, until } = machine({}, ["One.", "Two."]);
    platform.capabilities = { ...platform.capabilities, edits: false, idempotentSend: false };
    platform.lacks = ["findSent"];
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      platform.onSent = () => platform.fail("send", blocked(), 1);
      throw new Error("the answer of the platform is lost");
    };
    await platform.write("Hi");
    await until(async () => (await store.deliveries.list({ limit: 5 })).length === 1);
    await platform.write("Hi again");
    await until(async () => (await store.deliveries.list({ limit: 5 }))[0]?.state === "failed");
    expect(await store.deliveries.untold(5)).toHaveLength(1);
  });

  it("undelivered messages are offered before the card of a session handed off there", async () => {
    const { platform, gateway, terminal, until, clock } = machine({}, ["One.", "The plan.", "We stand at the plan."]);
    platform.capabilities = { ...platform.capabilities, threads: false };
    const host = await terminal();
    await gateway();
    platform.fail("send", blocked(), 1);
    await platform.write("Hi");
    await until(async () => (await host.store.deliveries.list({ limit: 5 })).length === 1);
    const sessionId = await terminalSession(host);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    const [notice, first, ...others] = platform.textsIn("home");
    expect([notice, first]).toEqual(["This could not be delivered before:", "One."]);
    expect(others).toHaveLength(3);
  });

  it("a notice whose receipts are lost is read three times, and its message once", async () => {
    const { platform, gateway, until } = machine({}, ["One.", "Two.", "Three."]);
    platform.capabilities = { ...platform.capabilities, edits: false, idempotentSend: false };
    platform.lacks = ["findSent"];
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      throw new Error("the answer of the platform is lost");
    };
    const NOTICE = "This may not have reached you before:";
    for (const count of [1, 2]) {
      await platform.write("Hi");
      await until(async () => (await store.deliveries.list({ limit: 5 })).length === count);
      await until(async () => (await store.outbox.head(HOME_KEY)) === null);
    }
    expect(platform.textsIn("home")).toEqual(["One.", NOTICE, NOTICE, NOTICE, "Two."]);
    platform.onSent = () => {};
    await platform.write("Hi");
    await until(() => platform.textsIn("home").includes("Three."));
    expect(platform.textsIn("home").slice(5)).toEqual([NOTICE, "One.", "Two.", "Three."]);
  });

  it.each([
    ["did", null, ["One.", "Two."]],
    ["was refused", blocked(), ["One.", "This could not be delivered before:", "One.", "Two."]],
  ])("what may have arrived is settled by a late word that it %s", async (_, refusal, said) => {
    const { platform, gateway, until } = machine({}, ["One.", "Two."]);
    platform.capabilities = { ...platform.capabilities, edits: false, idempotentSend: false, lateRefusal: true };
    platform.lacks = ["findSent"];
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      platform.onSent = () => {};
      throw new Error("the answer of the platform is lost");
    };
    await platform.write("Hi");
    await until(async () => (await store.deliveries.list({ limit: 5 })).length === 1);
    const [sent] = platform.messages;
    for (const events of platform.listening) await events.settle(sent?.id ?? "", refusal, undefined, sent?.key);
    await platform.write("Hi again");
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual(said);
  });

  it("what may have arrived waits for the next answer if its notice is dropped", async () => {
    const { platform, gateway, until } = machine({}, ["One.", "Two.", "Three."]);
    platform.capabilities = { ...platform.capabilities, edits: false, idempotentSend: false };
    platform.lacks = ["findSent"];
    const { store } = (await gateway()).host;
    platform.onSent = () => {
      platform.onSent = () => {};
      throw new Error("the answer of the platform is lost");
    };
    await platform.write("Hi");
    await until(async () => (await store.deliveries.list({ limit: 5 })).length === 1);
    platform.fail("send", new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" }), 3);
    await platform.write("Hi again");
    await until(async () => (await store.outbox.head(HOME_KEY))?.error != null);
    const notice = await store.outbox.head(HOME_KEY);
    expect(notice?.message.markdown).toBe("This may not have reached you before:");
    expect(await store.deliveries.drop(notice?.id ?? ("" as never))).toBe(true);
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual(["One.", "Two."]);
    await platform.write("And?");
    await until(() => platform.textsIn("home").includes("Three."));
    expect(platform.textsIn("home").slice(2)).toEqual(["This may not have reached you before:", "One.", "Three."]);
  });

  it("the running gateway, or else the next one, sends a message again on request", async () => {
    const { platform, gateway, terminal, until } = machine({}, ["One.", "Two."]);
    const { store } = await terminal();
    const first = await gateway();
    const refused = async () => (await store.deliveries.list({ limit: 5 }))[0];
    platform.fail("send", blocked(), 1);
    await platform.write("Hi");
    await until(async () => (await refused()) !== undefined);
    await store.deliveries.retry((await refused())?.id ?? ("" as never));
    await until(() => platform.textsIn("home").includes("One."));
    platform.fail("send", blocked(), 1);
    await platform.write("Hi again");
    await until(async () => (await refused()) !== undefined);
    await first.end();
    await store.deliveries.retry((await refused())?.id ?? ("" as never));
    await gateway();
    await until(() => platform.textsIn("home").includes("Two."));
    expect(platform.textsIn("home")).toEqual(["One.", "Two."]);
  });

  it("an undelivered message of a failed handoff is not repeated in the chat later", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    platform.capabilities = { ...platform.capabilities, threads: false };
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    platform.fail("send", blocked(), 10);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "failed");
    platform.onCall = async () => {};
    while (await host.store.outbox.head(HOME_KEY)) await clock.advance(100);
    expect(await host.store.deliveries.list({ limit: 5 })).toEqual([]);
  });
});
