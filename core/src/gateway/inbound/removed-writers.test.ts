import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import type { Store } from "../../store/store.ts";
import { asking, question, toTeam, touch } from "./test-asking.ts";

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
  expect(platform.textsIn("team")).toEqual(["One."]);
  expect((await store.transcripts.read(sessionId)).map(({ text }) => text)).not.toContainEqual(
    expect.stringContaining("now"),
  );
  expect(model.requests).toHaveLength(1);
  await until(async () => (await store.users.refused("loopback", undefined)) === 1);
});

it("a waiting message is dropped and counted once its writer left the config", async () => {
  const options = { operators: ["person"], allowedUsers: ["bob"] };
  const { platform, gateway, model, until, terminal } = asking(options, ["One."]);
  const first = await gateway();
  await platform.write("Hello", toTeam("bob"));
  await until(() => platform.textsIn("team").length === 1);
  first.die();
  const { store } = await terminal();
  const conversation = { platform: "loopback", chatId: "team", kind: "group" } as const;
  const waiting = { conversation, messageId: "waits", sender: { id: "bob" }, text: "And now?", sentAt: 1 };
  await store.inbox.acceptInbound(TEAM, waiting);
  options.allowedUsers = [];
  await gateway();
  await until(async () => (await store.inbox.openLanes("loopback", undefined)).length === 0);
  await until(async () => (await store.users.refused("loopback", undefined)) === 1);
  expect(await store.inbox.said(conversation, "waits")).toBeNull();
  expect([model.requests.length, platform.textsIn("team")]).toEqual([1, ["One."]]);
});

it("an operator who became a member is answered in a session of their own", async () => {
  const { platform, gateway, model, until, clock } = asking({}, ["Theirs."]);
  const { host } = await gateway();
  const { store, holder } = host;
  const bob = await bobIn(store);
  await store.people.setRole(bob.id, "operator");
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const conversation = { platform: "loopback", chatId: "dm-bob", kind: "dm" } as const;
  const key = buildSessionKey(conversation);
  await store.bindings.bind({ key, conversation, sessionId, mirrors: false });
  const held = await store.turns.startTurn({
    ...{ sessionId, surface: "terminal", holder: { ...holder, id: "terminal" }, leaseMs: 60_000 },
    ...{ cause: { kind: "terminal" }, message: { role: "user", text: "Work" } },
  });
  if (!held.ok) throw new Error("the turn was not granted");
  await platform.write("Mine?", { conversation, sender: { id: "bob", name: "Bob" } });
  await clock.advance(2_000);
  await store.people.setRole(bob.id, "member");
  const { turn, fence } = held;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
  await until(() => platform.textsIn("dm-bob").includes("Theirs."));
  expect((await store.bindings.get(key))?.sessionId).not.toBe(sessionId);
  expect((await store.transcripts.read(sessionId)).map(({ text }) => text)).toEqual(["Work"]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("Work");
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

describe("a question in the private chat of somebody who is no operator any more", () => {
  const conversation = { platform: "loopback", chatId: "dm-bob", kind: "dm" } as const;
  const key = buildSessionKey(conversation);
  const BOB = { conversation, sender: { id: "bob", name: "Bob" } };

  /** Bob is an operator, in a session that is not his own, and was asked whether a tool may run. */
  async function askedBob() {
    const on = asking({ operators: ["person"] }, [[touch(), { say: "Done." }]]);
    const served = await on.gateway();
    const { store } = served.host;
    const bob = await bobIn(store);
    await store.people.setRole(bob.id, "operator");
    const { id: sessionId } = await store.sessions.create({
      ...{ title: "Secret plan", user: OPERATOR, origin: "terminal", originChat: null },
    });
    await store.bindings.bind({ key, conversation, sessionId, mirrors: false });
    await on.say("Go", BOB);
    await on.until(async () => (await store.approvals.shownAt(key)).some(({ shownAt }) => shownAt !== null));
    const [message] = on.questionsIn("dm-bob");
    const [approval] = await store.approvals.open(sessionId);
    if (!message || !approval) throw new Error("nothing was asked");
    const press = () => on.platform.press(message.id, message.choices?.[0]?.id ?? "", BOB.sender);
    return { ...on, served, store, bob, message, approval, press };
  }

  it("somebody demoted is told why nothing follows the yes that they gave before", async () => {
    const on = await askedBob();
    await on.served.end();
    const { store } = await on.terminal();
    const by = { name: "Bob", author: authorOf(BOB) };
    await store.approvals.decide({ id: on.approval.id, decision: { kind: "once" }, by, surface: key });
    await store.people.setRole(on.bob.id, "member");
    await on.gateway();
    await on.until(() => on.platform.textsIn("dm-bob").includes(TOLD));
    expect([on.ran, on.model.requests.length]).toEqual([[], 1]);
    expect(on.platform.textsIn("dm-bob").join()).not.toContain("Secret plan");
  });

  it("somebody demoted who presses is told once that only an operator can answer", async () => {
    const on = await askedBob();
    await on.store.people.setRole(on.bob.id, "member");
    await on.press();
    await on.press();
    await on.until(() => on.platform.textsIn("dm-bob").length > 1);
    await on.clock.advance(3_000);
    expect(on.platform.textsIn("dm-bob").slice(1)).toEqual(["Only an operator can answer this."]);
    expect(await on.store.approvals.open()).toHaveLength(1);
  });
});
