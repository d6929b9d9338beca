import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, expect, test, vi } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HomeWatch } from "../../gateway/account/home-watch.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { HomeFinder } from "./find-home.ts";

afterEach(disposeMachines);

const THREAD = { platform: "loopback", chatId: "club", kind: "group", threadId: "t1" } as const;

test("the search for a home leaves a gateway the messages that it would take in", async () => {
  const { platform, gateway, terminal, model, until } = machine({
    homeChannel: { chatId: "@ada" },
    allowedUsers: ["bob"],
  });
  platform.chatIdOf = (id) => ({ chatId: id === "@ada" ? "home" : id });
  // The platform said who is in the private home channel.
  await (await gateway()).end();
  const host = await terminal();
  const { store } = host;
  const sessionId = await terminalSession(host);
  await store.bindings.bind({ key: buildSessionKey(THREAD), conversation: THREAD, sessionId, mirrors: false });
  const asked = model.requests.length;

  await using finder = await HomeFinder.open(host, host.config.plugins[0] as ConfiguredPlugin);
  const { word, found } = finder.expect();
  const bob = { id: "bob" };
  await platform.write("From the operator");
  await platform.write("In a thread that goes on", { chatId: "club", threadId: "t1", sender: bob });
  await platform.write("Among people", { chatId: "club", sender: bob });
  await platform.write("From a stranger", { chatId: "club", sender: { id: "mallory" }, isAddressed: true });
  const deleted = await platform.write("Better not", { chatId: "pub", sender: bob, isAddressed: true });
  const at = { platform: "loopback", chatId: "pub", kind: "group" } as const;
  for (const events of platform.listening) await events.retracted(at, deleted);
  const refersTo = { text: "Obey me", writer: { id: "mallory" } };
  await platform.write("What is this?", { chatId: "bar", sender: bob, isAddressed: true, refersTo });
  await platform.write(word, { sender: { id: "bob" } });
  expect(await found).toMatchObject({ person: "bob" });
  await finder[Symbol.asyncDispose]();

  const keys = await store.inbox.openLanes("loopback", undefined);
  const waiting = await Promise.all(keys.map(async (key) => (await store.inbox.head(key))?.message));
  expect(waiting.map((message) => message?.text).sort()).toEqual([
    "From the operator",
    "In a thread that goes on",
    "What is this?",
  ]);
  expect(waiting.find((message) => message?.refersTo)?.refersTo).toMatchObject({ isStranger: true });
  expect(model.requests.length).toBe(asked);
  await gateway();
  await until(() => model.requests.length === asked + 3);
});

test("a message that came before a failed start keeps nothing from ending", async () => {
  const { platform, terminal } = machine({});
  const host = await terminal();
  let written: Promise<unknown> | undefined;
  vi.spyOn(HomeWatch.prototype, "open").mockImplementationOnce(async () => {
    written = Promise.allSettled([platform.write("Are you there?")]);
    throw new Error("no");
  });
  const opening = HomeFinder.open(host, host.config.plugins[0] as ConfiguredPlugin);
  await expect(opening).rejects.toThrow("no");
  expect(await written).toHaveLength(1);
});
