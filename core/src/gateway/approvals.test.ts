import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Tool } from "../agent/agent.ts";
import { choiceIdOf } from "../model/approval.ts";
import type { Store } from "../store/store.ts";
import { questionTool } from "../tools/question.ts";
import { testPolicy } from "../turn/test-policy.ts";
import { TOOL_POLICY } from "../turn/tool-policy.ts";

afterEach(disposeMachines);

const HOME = buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" });
const TEAM = buildSessionKey({ platform: "loopback", chatId: "team", kind: "group" });

const touch = (at = "x") => ({ call: [{ name: "touch", input: { at } }] });
const touchBoth = {
  call: [
    { name: "touch", input: { at: "a" } },
    { name: "touch", input: { at: "b" } },
  ],
};
const question = { call: [{ name: "question", input: { question: "Tea?", answers: ["Green", "Black"] } }] };

/** A machine whose agent has the tool `touch`, which needs a yes, and may ask by itself. */
function asking(
  options: Parameters<typeof machine>[0] = {},
  script: Parameters<typeof machine>[1] = [],
  allow: readonly string[] = [],
) {
  const ran: string[] = [];
  const tool: Tool<{ at: string }> = {
    ...{ name: "touch", description: "touches", input: z.object({ at: z.string() }), effect: "runs" },
    summary: ({ at }) => `touch ${at}`,
    subjects: ({ at }) => [at],
    run: async ({ at }) => {
      ran.push(at);
      return { text: `touched ${at}` };
    },
  };
  const policy = testPolicy([tool as Tool, questionTool as Tool], {}, allow);
  const on = machine(options, script, [], (container) => container.registerInstance(TOOL_POLICY, policy));
  const { platform, clock, until } = on;
  platform.now = () => clock.now();

  const questionsIn = (chatId: string) =>
    platform.messages.filter((message) => message.chatId === chatId && (message.choices ?? []).length > 0);
  return {
    ...on,
    ran,
    questionsIn,
    /** Writes now, by the platform's clock, after everything that was said before. */
    async say(text: string, at: Parameters<typeof platform.write>[1] = {}) {
      await clock.advance(1_000);
      return platform.write(text, { sentAt: clock.now(), ...at });
    },
    /** Waits until a question is shown in a chat, and kept as shown; returns its message. */
    async asked(store: { approvals: { shownAt(key: SessionKey): Promise<{ shownAt: number | null }[]> } }, count = 1) {
      const shown = async (key: SessionKey) =>
        (await store.approvals.shownAt(key)).filter((one) => one.shownAt !== null);
      await until(async () => (await shown(HOME)).length + (await shown(TEAM)).length === count);
      const found = [...questionsIn("home"), ...questionsIn("team")].at(-1);
      if (!found) throw new Error("no question is shown");
      return found;
    },
    press: (
      message: { id: string; choices?: readonly { id: string; label: string }[] },
      label: RegExp,
      id = "person",
    ) => {
      const choice = message.choices?.find((one) => label.test(one.label));
      return platform.press(message.id, choice?.id ?? "", { id, name: id === "person" ? "Ada" : id });
    },
  };
}

const IN_TEAM = { allowedUsers: ["member"], operators: ["person"] };
const toTeam = (id: string) => ({ chatId: "team", isAddressed: true, sender: { id, name: id } });

describe("a press on a question", () => {
  it("lets the call run, and the answer comes as a new message", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [
      [{ say: "I look. " }, touch(), { say: "Done." }],
    ]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    expect(ran).toEqual([]);
    expect(platform.textsIn("home")[0]).toBe("I look.");
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
    expect(platform.textsIn("home")).toEqual(["I look.", expect.stringMatching(/Allowed.*Ada/), "Done."]);
    expect(message.choices).toEqual([]);
  });

  it("changes the question within two seconds, while the call is still running", async () => {
    const held = gate();
    const { gateway, clock, say, asked, press } = asking({}, [[touch(), { hold: held }, { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/);
    await clock.advance(1_900);
    expect(message.text).toMatch(/Allowed/);
    held.open();
  });

  it("a question is decided once, however often it is pressed", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    const choices = message.choices ?? [];
    await Promise.all([
      press(message, /once/),
      press({ ...message, choices }, /No/),
      press({ ...message, choices }, /once/),
    ]);
    await until(() => platform.textsIn("home").includes("Done."));
    await press({ ...message, choices }, /No/);
    expect(ran).toEqual(["x"]);
    expect(platform.messages).toHaveLength(2);
  });

  it("a stranger's press is counted, and nothing else", async () => {
    const { platform, gateway, clock, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/, "stranger");
    await clock.advance(3_000);
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
    expect(ran).toEqual([]);
    expect(platform.messages).toHaveLength(1);
  });

  it("a press of somebody who may only talk is answered by one line", async () => {
    const { platform, gateway, clock, ran, say, asked, press } = asking(IN_TEAM, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    const message = await asked(host.store);
    await press(message, /once/, "member");
    await press(message, /once/, "member");
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(platform.textsIn("team").slice(1)).toEqual(["Only an operator can answer this."]);
  });

  it("a press decides nothing in a chat that the question was not sent to", async () => {
    const { platform, gateway, until, clock, ran, say, asked } = asking(IN_TEAM, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await say("/status", toTeam("person"));
    await until(() => platform.textsIn("team").length > 0);
    const [elsewhere] = platform.messages.filter(({ chatId }) => chatId === "team");
    await platform.press(elsewhere?.id ?? "", message.choices?.[0]?.id ?? "");
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(1);
  });

  it("allows nothing that the question does not offer", async () => {
    const { platform, gateway, clock, ran, say, asked } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    const [open] = await host.store.approvals.open();
    if (!open) throw new Error("nothing is open");
    await platform.press(message.id, choiceIdOf({ approvalId: open.id, verb: "answer", answer: 0 }));
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(1);
  });

  it("counts after a restart, and the next gateway goes on with the turn", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    const message = await asked(first.host.store);
    await first.end();
    await gateway();
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("answers the agent's own question, which its author may do, too", async () => {
    const { platform, gateway, until, say, asked, press, model } = asking(IN_TEAM, [[question, { say: "Brewing." }]]);
    const { host } = await gateway();
    await say("Go", toTeam("member"));
    const message = await asked(host.store);
    await press(message, /Black/, "member");
    await until(() => platform.textsIn("team").includes("Brewing."));
    expect(model.requests).toHaveLength(1);
    expect(message.text).toMatch(/Black/);
  });

  it("on a platform without edits is said above the answer", async () => {
    const { platform, gateway, until, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    platform.capabilities = { ...platform.capabilities, edits: false };
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/);
    await until(() => platform.textsIn("home").some((text) => text.includes("Done.")));
    expect(platform.textsIn("home").at(-1)).toMatch(/Allowed[\s\S]*Ada[\s\S]*Done\./);
    await press(message, /No/);
    await until(() => platform.messages.length === 3);
    expect(platform.textsIn("home").at(-1)).toMatch(/Allowed.*Ada/);
  });
});

describe("a message instead of an answer", () => {
  it.each(["yes", "Y", "ok.", "1"])("“%s” lets the only call run", async (word) => {
    const { platform, gateway, until, ran, say, asked, model } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store);
    await say(word);
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
    expect(model.requests).toHaveLength(1);
  });

  it.each(["no", "N", "2"])("“%s” refuses it", async (word) => {
    const { platform, gateway, until, ran, say, asked, model } = asking({}, [[touch(), { say: "I see." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store);
    await say(word);
    await until(() => platform.textsIn("home").includes("I see."));
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  it("other words refuse all that is open, and are read by the same turn", async () => {
    const { platform, gateway, until, ran, say, asked, model } = asking({}, [[touchBoth, { say: "Then c." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store, 2);
    await say("Take c instead");
    await until(() => platform.textsIn("home").includes("Then c."));
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(1);
    const session = model.requests[0]?.session.id;
    const turns = (await host.store.transcripts.read(session ?? ("" as never))).map(
      ({ role, text }) => `${role}: ${text}`,
    );
    expect(turns.filter((line) => line.startsWith("user"))).toEqual(["user: Go", "user: Take c instead"]);
    expect(await host.store.inbox.openLanes("loopback", undefined)).toEqual([]);
  });

  it("a yes to one of two questions allows neither, and is told how", async () => {
    const { platform, gateway, until, ran, say, asked } = asking({}, [[touchBoth, { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store, 2);
    await say("yes");
    await until(() => platform.textsIn("home").some((text) => text.includes("/approve")));
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(2);
  });

  it("a message that is older than the question waits until it is answered", async () => {
    const { platform, gateway, until, ran, say, asked, press, clock, model } = asking({}, [
      [touch(), { say: "First." }],
      "Second.",
    ]);
    const { host } = await gateway();
    const before = clock.now();
    await say("Go");
    const message = await asked(host.store);
    await say("yes", { sentAt: before });
    await until(() => platform.textsIn("home").some((text) => text.includes("after the question")));
    expect(ran).toEqual([]);
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Second."));
    expect(ran).toEqual(["x"]);
    expect(model.requests).toHaveLength(2);
    expect(platform.textsIn("home").filter((text) => text.includes("after the question"))).toHaveLength(1);
  });

  it.each([
    ["a forward", { quotes: [{ kind: "forward" as const, text: "yes", writer: "Grace" }] }],
    ["a bot's", { sender: { id: "bot", isBot: true } }],
  ])("a message that is %s decides nothing", async (_, more) => {
    const { gateway, clock, ran, say, asked } = asking({ allowedBots: ["bot"] }, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store);
    await say("yes", more);
    await clock.advance(5_000);
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(1);
  });

  it("a message of somebody who may not decide holds up no answer of who may", async () => {
    const { platform, gateway, until, ran, say, asked, model } = asking(IN_TEAM, [
      [touch(), { say: "First." }],
      "Second.",
    ]);
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    await asked(host.store);
    await say("yes", toTeam("member"));
    await until(() => platform.textsIn("team").some((text) => text.includes("Only an operator")));
    expect(ran).toEqual([]);
    await say("yes", toTeam("person"));
    await until(() => platform.textsIn("team").includes("Second."));
    expect(ran).toEqual(["x"]);
    expect(platform.textsIn("team").slice(-2)).toEqual(["First.", "Second."]);
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain("member");
  });

  it("a number or words answer the agent's own question", async () => {
    const script = [
      [question, { say: "One." }],
      [question, { say: "Two." }],
    ];
    const { platform, gateway, until, say, asked, model } = asking({}, script);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store);
    await say("2");
    await until(() => platform.textsIn("home").includes("One."));
    await say("Go");
    await asked(host.store);
    await say("Coffee, please");
    await until(() => platform.textsIn("home").includes("Two."));
    const read = await host.store.transcripts.read(model.requests[0]?.session.id ?? ("" as never));
    expect(read.filter(({ role }) => role === "tool").map(({ text }) => text)).toEqual(["Black", "Coffee, please"]);
  });

  it("a yes counts although its gateway died before it decided", async () => {
    const { platform, gateway, until, ran, say, asked, clock, terminal } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    await asked(first.host.store);
    first.host.store.approvals.decide = async () => new Promise<never>(() => {});
    await say("yes");
    await clock.advance(1_000);
    first.die();
    expect(ran).toEqual([]);
    expect(await (await terminal()).store.approvals.open()).toHaveLength(1);
    await gateway();
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });
});

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
    expect(platform.textsIn("home").at(-1)).toMatch(/waited.*touch x.*\/approve/);
    await first.end();
    await gateway();
    await clock.advance(60_000);
    expect(platform.messages).toHaveLength(2);
  });
});

describe("/now", () => {
  const transcript = async (store: Store, { requests }: ReturnType<typeof asking>["model"]) =>
    store.transcripts.read(requests[0]?.session.id ?? ("" as never));

  it("what is said with /now is read before the model is asked on", async () => {
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

  it("what comes too late for the turn is answered like any other message", async () => {
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

  it("what others say with /now waits for the end of the turn", async () => {
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
