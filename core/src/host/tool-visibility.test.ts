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
