import { gate } from "@hermes/testing";
import { disposeMachines, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { CONFIG } from "../../config/config.ts";
import type { Store } from "../../store/store.ts";
import { asking, HOME, touch } from "./test-asking.ts";

afterEach(disposeMachines);

const OFFER = /Go on here with \*\*Plan\*\*\? You used it in the terminal/;

/** A gateway, and a session of the terminal that was just used. */
async function used(
  options: Parameters<typeof asking>[0] = {},
  script: NonNullable<Parameters<typeof asking>[1]> = [],
  prepare: (platform: ReturnType<typeof asking>["platform"]) => void = () => {},
  continuity: "offer" | "off" = "offer",
) {
  const on = asking(options, [[{ say: "The plan is to sow." }], ...script], [], (container) => {
    const config = container.resolve(CONFIG);
    container.registerInstance(CONFIG, { ...config, continuity });
  });
  prepare(on.platform);
  const terminal = await on.terminal();
  const sessionId = await terminalSession(terminal);
  const begun = await on.gateway();
  const offers = () => on.questionsIn("home").filter(({ text }) => OFFER.test(text));
  const offered = async () => {
    await on.until(() => offers().length > 0);
    const [message] = offers();
    if (!message) throw new Error("nothing is offered");
    return message;
  };
  return { ...on, sessionId, begun, offers, offered };
}

async function led(store: Store, key = HOME) {
  return (await store.bindings.get(key))?.sessionId;
}

describe("a message in a fresh private chat", () => {
  it("a message in a fresh chat is answered, and what was used elsewhere is offered", async () => {
    const { platform, until, say, offered, press, sessionId, begun, model } = await used({}, [
      [{ say: "What do you mean?" }],
      [{ say: "It is sown." }],
    ]);
    const { store } = begun.host;
    await say("How is it going?");
    const question = await offered();
    await until(() => platform.textsIn("home").includes("What do you mean?"));
    expect(question.text).toContain("What you have written here goes along.");
    expect(await led(store)).not.toBe(sessionId);

    await press(question, /Go on/);
    await until(() => platform.textsIn("home").includes("It is sown."));
    expect(await led(store)).toBe(sessionId);
    expect(question.text).toContain("you are in it now");
    expect(question.choices).toEqual([]);
    const asked = model.requests.at(-1)?.messages.map(({ role, text }) => `${role}: ${text}`);
    expect(asked).toEqual(["user: What is the plan?", "assistant: The plan is to sow.", "user: How is it going?"]);
  });

  it("it is taken along once by a press, by /continue, and by all of them together", async () => {
    const { platform, until, say, offered, press, sessionId, begun, model } = await used();
    const { store } = begun.host;
    await say("How is it going?");
    const question = await offered();
    await until(() => platform.textsIn("home").includes("An answer."));
    await Promise.all([press(question, /Go on/), say("/continue"), press(question, /Go on/)]);
    await until(() => platform.textsIn("home").filter((text) => text === "An answer.").length === 2);
    expect(await led(store)).toBe(sessionId);
    expect((await store.transcripts.read(sessionId)).map(({ text }) => text)).toEqual([
      ...["What is the plan?", "The plan is to sow.", "How is it going?", "An answer."],
    ]);
    expect(model.requests).toHaveLength(3);
  });

  it("pressed while the answer grows, it goes along when that is there", async () => {
    const held = gate();
    const { platform, until, say, offered, press, sessionId, begun } = await used({}, [
      [{ say: "What do " }, { hold: held }, { say: "you mean?" }],
      [{ say: "It is sown." }],
    ]);
    await say("How is it going?");
    await press(await offered(), /Go on/);
    await until(() => platform.textsIn("home").some((text) => text.startsWith("You switch to it as soon as")));
    expect(await led(begun.host.store)).not.toBe(sessionId);
    held.open();
    await until(() => platform.textsIn("home").includes("It is sown."));
    expect(platform.textsIn("home")).toContain("What do you mean?");
    expect(await led(begun.host.store)).toBe(sessionId);
  });

  it("it goes along once when the gateway dies right after the press", async () => {
    const { platform, until, say, offered, press, sessionId, begun, gateway } = await used();
    await say("How is it going?");
    const question = await offered();
    await until(() => platform.textsIn("home").includes("An answer."));
    await begun.end();
    const second = await gateway();
    await press(question, /Go on/);
    second.die();
    const third = await gateway();
    await until(() => platform.textsIn("home").filter((text) => text === "An answer.").length === 2);
    const { store } = third.host;
    expect(await led(store)).toBe(sessionId);
    const texts = (await store.transcripts.read(sessionId)).map(({ text }) => text);
    expect(texts.filter((text) => text === "How is it going?")).toHaveLength(1);
  });

  it("after a no, the session is not offered again until it is used elsewhere", async () => {
    const { platform, until, say, offered, offers, press, sessionId, begun, terminal } = await used();
    await say("How is it going?");
    const question = await offered();
    await press(question, /No/);
    await until(() => question.choices?.length === 0);
    await say("/new");
    await say("And now?");
    await until(() => platform.textsIn("home").filter((text) => text === "An answer.").length === 2);
    expect(offers()).toEqual([]);
    expect(await led(begun.host.store)).not.toBe(sessionId);
    const host = await terminal();
    const message = { role: "user", text: "Sow more." } as const;
    await host.runner.run({ sessionId, cause: { kind: "terminal" }, surface: "terminal", message, tools: true });
    await say("/new");
    await say("And what now?");
    await offered();
  });

  it("an exchange that used a tool stays where it ran, and is quoted", async () => {
    const { platform, until, say, offered, press, asked, sessionId, begun, ran } = await used({}, [
      [touch(), { say: "Touched." }],
    ]);
    const { store } = begun.host;
    await say("Touch it");
    const offer = await offered();
    await press(await asked(store), /once/);
    await until(() => platform.textsIn("home").includes("Touched."));
    await press(offer, /Go on/);
    await until(() => platform.textsIn("home").some((text) => text.includes("stays in its own session")));
    expect(platform.textsIn("home").at(-1)).toMatch(/> Touch it[\s\S]*> Touched\./);
    expect(await led(store)).toBe(sessionId);
    expect(ran).toEqual(["x"]);
  });

  it("it cannot be taken along while the agent asks there, which is said", async () => {
    const { platform, until, say, offered, press, asked, begun } = await used({}, [[touch(), { say: "Touched." }]]);
    await say("Touch it");
    const offer = await offered();
    await asked(begun.host.store);
    await press(offer, /Go on/);
    await until(() => platform.textsIn("home").some((text) => text.startsWith("A question of the agent is open")));
    expect(offer.choices).toHaveLength(2);
  });

  it("nothing is offered in a group, in a thread, to a bot or to somebody else", async () => {
    const { platform, until, say, begun, questionsIn } = await used({
      ...{ allowedUsers: ["member"], operators: ["person"], allowedBots: ["robot"] },
    });
    const bot = { id: "robot", isBot: true };
    await say("Hello", { chatId: "team", isAddressed: true });
    await say("Hello", {
      threadId: "t1",
      conversation: { platform: "loopback", chatId: "home", kind: "dm", threadId: "t1" },
    });
    await say("Hello", { conversation: { platform: "loopback", chatId: "robot", kind: "dm" }, sender: bot });
    await say("Hello", {
      conversation: { platform: "loopback", chatId: "member", kind: "dm" },
      sender: { id: "member" },
    });
    await until(async () => (await begun.host.store.sessions.count()) === 5);
    await until(() => platform.messages.length === 4);
    for (const chatId of ["team", "home", "robot", "member"]) expect(questionsIn(chatId), chatId).toEqual([]);
  });

  it("a stranger's press takes nothing along, and neither does one from another chat", async () => {
    const { platform, until, clock, say, offered, press, sessionId, begun } = await used();
    await say("How is it going?");
    const question = await offered();
    await press(question, /Go on/, "stranger");
    await until(() => platform.textsIn("home").includes("An answer."));
    await clock.advance(3_000);
    expect(await led(begun.host.store)).not.toBe(sessionId);
    expect(question.choices).toHaveLength(2);
  });

  it("the offer is over after half an hour, and says so", async () => {
    const { until, clock, say, offered, begun, gateway } = await used();
    await say("How is it going?");
    const question = await offered();
    await begun.end();
    await clock.advance(31 * 60_000);
    await gateway();
    await until(() => question.choices?.length === 0);
    expect(question.text).toContain("This offer has expired.");
  });

  it("it is taken along in words where a platform has neither choices nor edits", async () => {
    const { platform, until, say, sessionId, begun } = await used({}, [], (of) => {
      of.choices = undefined;
      of.capabilities = { ...of.capabilities, edits: false };
    });
    await say("How is it going?");
    await until(() => platform.textsIn("home").some((text) => OFFER.test(text)));
    expect(platform.textsIn("home").find((text) => OFFER.test(text))).toContain("`/continue no`");
    await say("/continue");
    await until(() => platform.textsIn("home").filter((text) => text === "An answer.").length === 2);
    expect(platform.textsIn("home")).toContain("You go on here with **Plan**.");
    expect(await led(begun.host.store)).toBe(sessionId);
    await say("/continue no");
    await until(() => platform.textsIn("home").includes("Nothing is offered here."));
  });

  it("/continue as the first message goes on with the session at once", async () => {
    const { platform, until, say, sessionId, begun } = await used();
    await say("/continue");
    await until(() => platform.textsIn("home").includes("You go on here with **Plan**."));
    expect(await led(begun.host.store)).toBe(sessionId);
    await say("/continue");
    await until(() => platform.textsIn("home").includes("You are in **Plan** already."));
  });

  it("nothing is offered where the config has continuity off", async () => {
    const { platform, until, say, offers, clock } = await used({}, [], undefined, "off");
    await say("How is it going?");
    await until(() => platform.textsIn("home").includes("An answer."));
    await clock.advance(3_000);
    expect(offers()).toEqual([]);
  });
});
