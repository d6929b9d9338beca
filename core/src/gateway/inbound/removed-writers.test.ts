import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { Store } from "../../store/store.ts";
import { asking, question, toTeam } from "./test-asking.ts";

afterEach(disposeMachines);

const TEAM = buildSessionKey({ platform: "loopback", chatId: "team", kind: "group" });
const TOLD = "*(Stopped: the person who asked is no longer allowed to.)*";

async function bobIn({ people }: Store) {
  const bob = await people.add({ name: "Bob", role: "member" });
  await people.link({ platform: "loopback", account: undefined, key: "bob" }, bob.id, "terminal", "Bob");
  return bob;
}

it("a message is not answered once its writer was removed while it waited for a turn", async () => {
  const { platform, gateway, model, until, clock } = asking({}, ["One."]);
  const { host } = await gateway();
  const { store, holder } = host;
  const bob = await bobIn(store);
  await platform.write("Hello", toTeam("bob"));
  await until(() => platform.textsIn("team").length === 1);
  const { sessionId } = (await store.bindings.get(TEAM)) ?? {};
  if (sessionId === undefined) throw new Error("the group leads to no session");
  const held = await store.turns.startTurn({
    ...{ sessionId, surface: "terminal", holder: { ...holder, id: "terminal" }, leaseMs: 60_000 },
    ...{ cause: { kind: "terminal" }, message: { role: "user", text: "Work" } },
  });
  if (!held.ok) throw new Error("the turn was not granted");
  await platform.write("And now?", toTeam("bob"));
  await clock.advance(2_000);
  await store.people.remove(bob.id);
  const { turn, fence } = held;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
  await until(async () => (await store.inbox.openLanes("loopback", undefined)).length === 0);
  await until(() => platform.textsIn("team").length > 1);
  expect(platform.textsIn("team").slice(1)).toEqual([TOLD]);
  expect(model.requests).toHaveLength(1);
});

it("a turn that waited does not go on once whoever asked for it was removed", async () => {
  const { platform, gateway, model, until, asked, say, ...on } = asking({ operators: ["person"] }, [[question]]);
  const { host } = await gateway();
  const bob = await bobIn(host.store);
  await host.store.people.setRole(bob.id, "operator");
  await say("Which tea?", toTeam("bob"));
  const message = await asked(host.store);
  await host.store.people.remove(bob.id);
  await on.press(message, /Green/);
  await until(() => platform.textsIn("team").includes(TOLD));
  expect(model.requests).toHaveLength(1);
});
