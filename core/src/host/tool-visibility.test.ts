import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import type { DependencyContainer } from "tsyringe";
import { afterEach, expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { TOOL_POLICY } from "../turn/tool-policy.ts";

afterEach(disposeMachines);

it("a turn that was handed to a member's private chat sees only what began there", async () => {
  let container: DependencyContainer | undefined;
  const options = { operators: ["person", "grace"], allowedUsers: ["ada"] };
  const { gateway, platform, until } = machine(options, [], [], (of) => {
    container = of;
  });
  const { store } = (await gateway()).host;
  for (const id of ["ada", "grace"]) await platform.write("Hi", { chatId: `dm-${id}`, sender: { id } });
  await platform.write("Hi");
  await until(async () => (await store.places.list()).length === 3 && platform.textsIn("home").length > 0);
  await until(() => platform.textsIn("dm-grace").length > 0 && platform.textsIn("dm-ada").length > 0);
  const policy = container?.resolve(TOOL_POLICY);
  const at = async (chatId: string) => {
    const surface = buildSessionKey({ platform: "loopback", chatId, kind: "dm" });
    expect(await store.bindings.get(surface)).not.toBeNull();
    return policy?.visibilityOf({ surface, author: "terminal" } as never);
  };
  for (const own of ["home", "dm-grace"]) expect(await at(own)).toEqual({ kind: "all" });
  expect(await at("dm-ada")).toMatchObject({ kind: "of-chat" });
});

it("a private chat is not the operator's own while others are in it", async () => {
  let container: DependencyContainer | undefined;
  const { gateway, platform, until } = machine({ operators: ["person", "grace"] }, [], [], (of) => {
    container = of;
  });
  const { store } = (await gateway()).host;
  platform.peopleIn.set("dm-grace", ["grace"]);
  const say = async (chatId: string, sender: string, isSo: () => boolean | Promise<boolean>) => {
    await platform.write("Hi", { chatId, sender: { id: sender } });
    await until(isSo);
  };
  const refusals = async () => (await store.deliveries.list({ limit: 9 })).length;
  await say("dm-grace", "grace", () => platform.textsIn("dm-grace").length > 0);
  await say("home", "person", () => platform.textsIn("home").length > 0);
  const seenAt = async (chatId: string) => {
    const conversation = { platform: "loopback", chatId, kind: "dm" } as const;
    const author = { platform: "loopback", account: undefined, senderId: "grace", aliases: [], conversation };
    const policy = container?.resolve(TOOL_POLICY);
    const surface = buildSessionKey(conversation);
    return (await policy?.visibilityOf({ surface, author: chatId === "home" ? "terminal" : author } as never))?.kind;
  };
  expect([await seenAt("home"), await seenAt("dm-grace")]).toEqual(["all", "all"]);
  platform.people = ["person", "mallory"];
  platform.peopleIn.set("dm-grace", ["grace", "mallory"]);
  await say("dm-grace", "grace", async () => (await refusals()) === 1);
  await say("home", "person", async () => (await refusals()) === 2);
  expect([await seenAt("home"), await seenAt("dm-grace")]).toEqual(["of-chat", "of-chat"]);
  platform.people = ["person"];
  platform.peopleIn.set("dm-grace", ["grace"]);
  await say("dm-grace", "grace", () => platform.textsIn("dm-grace").length === 4);
  await say("home", "person", () => platform.textsIn("home").length === 4);
  expect([await seenAt("home"), await seenAt("dm-grace")]).toEqual(["all", "all"]);
});
