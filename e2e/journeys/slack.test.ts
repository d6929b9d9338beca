import type { SessionId } from "@hermes/core/embed";
import { type SlackEmulator, startSlackEmulator } from "@hermes/plugin-slack/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

const DM = "D0ADA";
const CHANNEL = "C0TEAM";

let model: ModelServer;
let slack: SlackEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  slack = await startSlackEmulator();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await slack.close();
  await model.close();
});

function machineAt(homeChannel: unknown, more: Record<string, unknown> = {}): HermesMachine {
  const options = { ...slack.options, homeChannel, ...more };
  return machineWith(model, { plugins: [["@hermes/plugin-slack", options]] });
}

/** What the bot said at a place. */
function texts(chatId: string, threadId?: string): string[] {
  return slack
    .messages(chatId, threadId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

async function answered(question: string, chatId: string, threadId?: string): Promise<void> {
  await machine.until(
    () => texts(chatId, threadId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question} in ${chatId}`,
  );
}

/** A person writes in a thread, mentions nobody, and is answered there. */
async function ask(question: string, chatId: string, threadId: string): Promise<void> {
  await slack.receive({ chatId, threadId, text: question });
  await answered(question, chatId, threadId);
}

async function handOff(sessionId: SessionId, chatId: string): Promise<string> {
  const handoff = await machine.json<HandoffDocument>("handoff", "slack", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const [thread, ...more] = slack.threads(chatId);
  expect(more).toEqual([]);
  const id = thread?.id ?? "";
  expect(handoff.link).toBe(`https://t0emulator.slack.com/archives/${chatId}/p${id.replace(".", "")}`);
  return id;
}

describe.each([
  ["a direct message", DM, DM, {}],
  ["a channel", CHANNEL, { chatId: CHANNEL, shared: true }, { allowedUsers: ["U0ADA"] }],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("a session goes on in its thread after a restart, and comes back in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, chatId);
    expect(texts(chatId)).toEqual(["Plan a trip to Rome"]);
    expect(texts(chatId, threadId)).toHaveLength(3);

    await ask("Which day for the museums?", chatId, threadId);
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    await machine.startGateway();
    await ask("And a good dinner?", chatId, threadId);

    const back = machine.start("resume", sessionId);
    await back.says(/And a good dinner\?/);
    back.type("Thank you");
    await back.says(/Answer to: Thank you/);
    back.endInput();
    expect(await back.exited()).toBe(0);
    const lines = await said(machine, sessionId);
    expect(lines.filter((line) => line.startsWith("user: ")).map((line) => line.replace(/⟦from [^\n]*\n/, ""))).toEqual(
      ["user: Plan a trip to Rome", "user: Which day for the museums?", "user: And a good dinner?", "user: Thank you"],
    );
    expect(lines).toHaveLength(10);
  });
});

describe("a mention in a channel that is not the home channel", () => {
  it("a mention is answered once, in a new thread, which then needs no mention", async () => {
    machine = machineAt(DM, { allowedUsers: ["U0ADA"] });
    await machine.startGateway();
    const { messageId } = await slack.receive({ chatId: CHANNEL, text: "Where to eat?", mentions: true });
    await answered("Where to eat?", CHANNEL, messageId);
    await ask("And cheaper?", CHANNEL, messageId);
    expect(texts(CHANNEL)).toEqual([]);
    expect(texts(CHANNEL, messageId)).toHaveLength(2);
  });
});

describe("a thread below something that was said in the direct message", () => {
  it("goes on with what was said there", async () => {
    machine = machineAt(DM);
    await machine.startGateway();
    await slack.receive({ chatId: DM, text: "Plan a trip to Rome" });
    await answered("Plan a trip to Rome", DM);
    const answer = slack.messages(DM).find(({ author }) => author === "bot");
    await ask("And the food?", DM, answer?.id ?? "");
    const questions = model.requests.at(-1)?.messages.filter(({ role }) => role === "user");
    expect(JSON.stringify(questions)).toContain("Plan a trip to Rome");
  });
});

describe("a thread that a person deletes", () => {
  it("a removed thread is replaced by a new one, with nothing left in the channel", async () => {
    machine = machineAt({ chatId: CHANNEL, shared: true }, { allowedUsers: ["U0ADA"] });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, CHANNEL);
    await slack.receive({ chatId: CHANNEL, threadId, text: "And the food?" });
    slack.removeThread(CHANNEL, threadId);
    await machine.until(() => slack.threads(CHANNEL).some(({ id }) => id !== threadId), "a new thread");
    const fresh = slack.threads(CHANNEL).at(-1)?.id ?? "";
    await answered("And the food?", CHANNEL, fresh);
    await ask("Still here?", CHANNEL, fresh);
    expect(await said(machine, sessionId)).toContainEqual(expect.stringContaining("Still here?"));
    expect(texts(CHANNEL)).toEqual(["Plan a trip to Rome"]);
  });
});
