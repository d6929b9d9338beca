import type { VirtualClock } from "@hermes/testing";
import { disposeMachines, type LoopbackPlatform } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it, vi } from "vitest";
import { asking, IN_TEAM, question, toTeam, touch, touchBoth } from "./test-asking.ts";

afterEach(disposeMachines);

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
    await until(() => platform.textsIn("home").some((text) => text.includes("Answer the question above first")));
    expect(ran).toEqual([]);
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Second."));
    expect(ran).toEqual(["x"]);
    expect(model.requests).toHaveLength(2);
    expect(platform.textsIn("home").filter((text) => text.includes("Answer the question above first"))).toHaveLength(1);
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

  it("a yes counts behind a message that waits, although its gateway died", async () => {
    const { platform, gateway, until, ran, say, asked, clock } = asking(IN_TEAM, [
      [touch(), { say: "First." }],
      "Second.",
    ]);
    const first = await gateway();
    await say("Go", toTeam("person"));
    await asked(first.host.store);
    await say("What is it?", toTeam("member"));
    await until(() => platform.textsIn("team").some((text) => text.includes("Only an operator")));
    first.host.store.approvals.decide = async () => new Promise<never>(() => {});
    await say("yes", toTeam("person"));
    await clock.advance(1_000);
    first.die();
    expect(ran).toEqual([]);
    await gateway();
    await until(() => platform.textsIn("team").includes("Second."));
    expect(ran).toEqual(["x"]);
    expect(platform.textsIn("team").filter((text) => text.includes("Only an operator"))).toHaveLength(1);
  });

  it("a yes that is edited before it decides refuses the call in its new words", async () => {
    const { platform, gateway, terminal, until, ran, say, asked } = asking({}, [[touch(), { say: "Then c." }]]);
    const { store } = (await gateway()).host;
    const { approvals, transcripts } = (await terminal()).store;
    await say("Go");
    await asked(store);
    const [open] = await approvals.open();
    vi.spyOn(store.approvals, "decide").mockImplementationOnce(async (request) => {
      await platform.write("No, take c instead", { messageId: "the yes", isEdit: true });
      return approvals.decide(request);
    });
    await say("yes", { messageId: "the yes" });
    await until(() => platform.textsIn("home").includes("Then c."));
    expect(ran).toEqual([]);
    const read = await transcripts.read(open?.sessionId ?? ("" as never));
    expect(read.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["Go", "No, take c instead"]);
  });

  const gone = {
    "is asked for": (platform: LoopbackPlatform) => void platform.changed.set("the word", null),
    "comes a second later": (platform: LoopbackPlatform, clock: VirtualClock) => {
      platform.onListening = ({ retracted }) => {
        const at = { platform: "loopback", chatId: "team", kind: "group" } as const;
        clock.setTimer(1_000, () => void retracted(at, "the word"));
      };
    },
  };
  it.each(Object.keys(gone).flatMap((how) => ["yes", "/approve", "/stop"].map((word) => [word, how] as const)))(
    "“%s” left behind another message does nothing if its deletion %s",
    async (word, how) => {
      const { platform, gateway, until, ran, say, asked, clock } = asking(IN_TEAM, [[touch(), { say: "First." }]]);
      const first = await gateway();
      const { store } = first.host;
      await say("Go", toTeam("person"));
      await asked(store);
      await say("What is it?", toTeam("member"));
      await until(() => platform.textsIn("team").some((text) => text.includes("Only an operator")));
      store.approvals.decide = store.turns.requestStop = async () => new Promise<never>(() => {});
      await say(word, { ...toTeam("person"), messageId: "the word" });
      await clock.advance(1_000);
      first.die();
      platform.listening.clear();
      gone[how as keyof typeof gone](platform, clock);
      const { inbox, approvals } = (await gateway()).host.store;
      const [lane] = await inbox.openLanes("loopback", undefined);
      const waiting = lane && (await inbox.head(lane));
      await until(async () => waiting != null && (await inbox.next(waiting.id)) === null);
      expect(ran).toEqual([]);
      expect(await approvals.open()).toHaveLength(1);
    },
  );
});

const AT_HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;

it.each([
  ["/approve", [], "allows nothing once it is deleted", 0],
  ["yes", ["Hello."], "allows nothing once it is deleted", 0],
  ["/approve", [], "counts where it stays", 1],
] as const)("“$0” that was written while no gateway ran $2", async (text, before, _, calls) => {
  const { platform, gateway, ran, say, asked, clock } = asking({ operators: ["person"] }, [
    [touch(), { say: "Done." }],
  ]);
  const { host, die } = await gateway();
  await say("Go");
  await asked(host.store);
  await clock.advance(5_000);
  die();
  platform.listening.clear();
  const written = { conversation: AT_HOME, sender: { id: "person" }, sentAt: clock.now() };
  await clock.advance(60_000);
  platform.onListening = async (events) => {
    if (calls === 0) clock.setTimer(1_000, () => void events.retracted(AT_HOME, text));
    for (const one of [...before, text]) await events.receive({ ...written, messageId: one, text: one });
  };
  await gateway();
  for (let second = 0; second < 30; second++) await clock.advance(1_000);
  expect(ran).toHaveLength(calls);
});
