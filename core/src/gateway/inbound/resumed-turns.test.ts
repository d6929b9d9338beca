import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { homeOf } from "../../model/place.ts";
import type { Store } from "../../store/store.ts";
import { asking, HOME, IN_TEAM, toTeam, touch } from "./test-asking.ts";

afterEach(disposeMachines);

describe("a turn whose questions are decided", () => {
  it("goes on when a gateway starts, if it was decided while none lived", async () => {
    const { platform, gateway, until, ran, say, asked, terminal } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    await asked(first.host.store);
    await first.end();
    const { store } = await terminal();
    const [open] = await store.approvals.open();
    if (!open) throw new Error("nothing is open");
    const by = { name: "Ada", author: "terminal" } as const;
    await store.approvals.decide({ id: open.id, decision: { kind: "once" }, by, surface: HOME });
    await gateway();
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("the next gateway goes on when one dies on it, and runs no call twice", async () => {
    const held = gate();
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [[touch(), { hold: held }], "Done."]);
    const first = await gateway();
    await say("Go");
    await press(await asked(first.host.store), /once/);
    await until(() => ran.length > 0);
    await held.reached;
    first.die();
    await gateway();
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("a gateway that drains leaves it to the next one", async () => {
    const { platform, gateway, until, ran, say, asked, press, clock } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    const message = await asked(first.host.store);
    await say("Later", { quotes: [{ kind: "forward", text: "x", writer: "Grace" }] });
    await until(() => platform.textsIn("home").length > 1);
    const ended = first.end();
    await press(message, /once/);
    await clock.advance(1_000);
    await ended;
    expect(ran).toEqual([]);
    await gateway();
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("names its session where the chat leads to another one by then", async () => {
    const { platform, gateway, until, say, asked, press } = asking({}, [[touch(), { say: "Done." }], "Hello."]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await say("/new");
    await say("Hi");
    await until(() => platform.textsIn("home").includes("Hello."));
    await press(message, /once/);
    await until(() => platform.textsIn("home").some((text) => text.includes("Done.")));
    expect(platform.textsIn("home").at(-1)).toBe("**Go**\n\nDone.");
  });

  it("the operators are reminded of an open question after an hour, once", async () => {
    const { platform, gateway, say, asked, clock } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    await asked(first.host.store);
    clock.setWall(58 * 60_000);
    await clock.advance(60_000);
    expect(platform.messages).toHaveLength(1);
    clock.setWall(62 * 60_000);
    await clock.advance(60_000);
    expect(platform.textsIn("home").at(-1)).toMatch(/waited.*touch x/);
    await first.end();
    await gateway();
    await clock.advance(60_000);
    expect(platform.messages).toHaveLength(2);
  });

  it("the reminder brings the question of a group to the operators' private home", async () => {
    const { platform, gateway, until, ran, say, asked, press, questionsIn, clock } = asking(IN_TEAM, [
      [touch(), { say: "Done." }],
    ]);
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    await asked(host.store);
    clock.setWall(61 * 60_000);
    await clock.advance(60_000);
    await until(() => questionsIn("home").length > 0);
    expect(platform.textsIn("home")[0]).toMatch(/waited.*touch x/);
    const [question] = questionsIn("home");
    if (question) await press(question, /once/);
    await until(() => platform.textsIn("team").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("a reminder tells nothing of a question to others who came into a private home", async () => {
    const { platform, gateway, say, asked, until, questionsIn, clock } = asking(IN_TEAM, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    await asked(host.store);
    platform.people = ["person", "mallory"];
    clock.setWall(61 * 60_000);
    await clock.advance(60_000);
    await until(() => platform.textsIn("home").length > 0);
    await clock.advance(60_000);
    expect(platform.textsIn("home")).toEqual([
      "A session has been waiting for an answer for an hour; answer it where it was asked.",
    ]);
    expect(questionsIn("home")).toEqual([]);
  });
});

describe("/now", () => {
  const transcript = async (store: Store, { requests }: ReturnType<typeof asking>["model"]) =>
    store.transcripts.read(requests[0]?.session.id ?? ("" as never));

  it("the model reads a message sent with /now at its next step", async () => {
    const held = gate();
    const on = asking({}, [[{ hold: held }, touch(), { say: "Done." }]], ["touch"]);
    const { platform, gateway, until, say, model } = on;
    const { host } = await gateway();
    await say("Go");
    await held.reached;
    await say("/now and then y");
    held.open();
    await until(() => platform.textsIn("home").includes("Done."));
    const read = await transcript(host.store, model);
    expect(read.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["Go", "and then y"]);
    expect(new Set(read.map(({ turnId }) => turnId)).size).toBe(1);
    expect(await host.store.inbox.openLanes("loopback", undefined)).toEqual([]);
    expect(platform.textsIn("home")).toEqual(["Done."]);
  });

  it("a /now that comes too late for its turn is answered like any other message", async () => {
    const held = gate();
    const { platform, gateway, until, say, model } = asking({}, [[{ hold: held }, { say: "First." }], "Second."]);
    await gateway();
    await say("Go");
    await held.reached;
    await say("/now more");
    held.open();
    await until(() => platform.textsIn("home").includes("Second."));
    expect(platform.textsIn("home")).toEqual(["First.", "Second."]);
    expect(model.requests[1]?.messages.at(-1)?.text).toBe("more");
  });

  it("the /now of somebody else waits for the end of the turn", async () => {
    const held = gate();
    const on = asking(IN_TEAM, [[{ hold: held }, touch(), { say: "First." }], "Second."], ["touch"]);
    const { platform, gateway, until, say, model } = on;
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    await held.reached;
    await say("/now stop that", toTeam("member"));
    held.open();
    await until(() => platform.textsIn("team").includes("Second."));
    const read = await transcript(host.store, model);
    expect(new Set(read.map(({ turnId }) => turnId)).size).toBe(2);
  });
});

it("the chat says where a turn goes on that a handoff took along", async () => {
  const held = gate();
  const { platform, gateway, until, say } = asking(IN_TEAM, [[{ say: "Let me look." }, { hold: held }, touch()]]);
  const { host } = await gateway();
  await say("Go", toTeam("person"));
  await held.reached;
  const [session] = (await host.store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
  if (!session) throw new Error("there is no session");
  await host.store.handoffs.requestHandoff(session.id, homeOf("loopback"));
  held.open();
  const line = "Let me look.\n\n*(The work continues on loopback.)*";
  await until(() => platform.textsIn("team").includes(line));
});

it("/handoff in a chat is taken while its turn runs", async () => {
  const held = gate();
  const { platform, gateway, until } = machine(IN_TEAM, [[{ say: "Well" }, { hold: held }]]);
  const { host } = await gateway();
  await platform.write("Go", toTeam("person"));
  await held.reached;
  await platform.write("/handoff loopback", toTeam("person"));
  const [session] = (await host.store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
  await until(async () => session !== undefined && (await host.store.handoffs.latestOf(session.id)) !== null);
  held.open();
});

it("a turn that waited is not answered to somebody who was removed meanwhile", async () => {
  const { platform, gateway, until, say, clock, model, ran } = asking({}, [[touch(), { say: "The secret is 42." }]]);
  const { store } = (await gateway()).host;
  const { id } = await store.people.add({ name: "Eve", role: "operator" });
  await store.people.link({ platform: "loopback", account: undefined, key: "eve" }, id, "code", "Eve");
  await say("Go", { chatId: "dm-eve", sender: { id: "eve" } });
  const open = async () => (await store.approvals.open())[0];
  await until(async () => (await open()) !== undefined && platform.textsIn("dm-eve").length > 0);
  const approval = await open();
  if (!approval) throw new Error("nothing is open");
  await store.people.remove(id);
  const by = { name: "Ada", author: "terminal" } as const;
  await store.approvals.decide({ id: approval.id, decision: { kind: "once" }, by, surface: HOME });
  await until(async () => (await store.turns.running(approval.sessionId)) === null);
  await clock.advance(3_000);
  expect(platform.textsIn("dm-eve")).toEqual([
    expect.stringContaining("touch x"),
    "*(Stopped: the person who asked is no longer allowed to.)*",
  ]);
  expect([model.requests.length, ran]).toEqual([1, []]);
});
