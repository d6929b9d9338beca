import type { SessionId } from "@hermes/core/embed";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "@hermes/plugin-telegram/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let telegram: TelegramEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  telegram = await startTelegramEmulator();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await telegram.close();
  await model.close();
});

function machineAt(homeChannel: unknown, more: Record<string, unknown> = {}): HermesMachine {
  const options = { ...telegram.options, homeChannel, ...more };
  return machineWith(model, { plugins: [["@hermes/plugin-telegram", options]] });
}

/** What the bot said in a topic. */
function texts(chatId: string, threadId: string): string[] {
  return telegram
    .messages(chatId, threadId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes in a topic, mentions nobody, and is answered there. */
async function ask(chatId: string, threadId: string, question: string): Promise<void> {
  await telegram.receive({ chatId, threadId, text: question });
  await machine.until(
    () => texts(chatId, threadId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question} in the topic`,
  );
}

async function handOff(sessionId: SessionId, chatId: string): Promise<string> {
  const handoff = await machine.json<HandoffDocument>("handoff", "telegram", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const [topic, ...more] = telegram.threads(chatId);
  expect(more).toEqual([]);
  return topic?.id ?? "";
}

describe.each([
  ["a private chat", CHATS.private, CHATS.private, {}],
  ["a forum", CHATS.forum, { chatId: CHATS.forum, shared: true }, { allowedUsers: ["1001"] }],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("a session goes on in its topic after a restart, and comes back in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, chatId);
    expect(telegram.threads(chatId)).toMatchObject([{ name: "Plan a trip to Rome" }]);
    expect(texts(chatId, threadId)).toHaveLength(3);

    await ask(chatId, threadId, "Which day for the museums?");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    await machine.startGateway();
    await ask(chatId, threadId, "And a good dinner?");

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
    expect(telegram.messages(chatId).filter(({ author }) => author === "bot")).toEqual([]);
  });
});

describe("a session that is handed off while topics are off", () => {
  it("lands in the chat itself, which says what to turn on, and goes on there", async () => {
    telegram.world.hasTopicsInPrivate = false;
    machine = machineAt(CHATS.private);
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await machine.json<HandoffDocument>("handoff", "telegram", "--session", sessionId, "--yes");
    const [notice] = telegram.messages(CHATS.private);
    expect(notice?.text).toMatch(/no thread of its own: .*Threaded Mode.*@BotFather/s);
    await telegram.receive({ chatId: CHATS.private, text: "And the food?" });
    await machine.until(
      () => telegram.messages(CHATS.private).some(({ text }) => text === "Answer to: And the food?"),
      "the answer in the chat",
    );
    expect(await said(machine, sessionId)).toContain("user: And the food?");
  });
});

describe("a topic that a person deletes", () => {
  it("the session goes on in a new topic after a person deleted its topic", async () => {
    machine = machineAt(CHATS.private);
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, CHATS.private);
    await telegram.receive({ chatId: CHATS.private, threadId, text: "And the food?" });
    telegram.removeThread(CHATS.private, threadId);
    await machine.until(() => telegram.threads(CHATS.private).length === 1, "a new topic");
    const [fresh] = telegram.threads(CHATS.private);
    const at = fresh?.id ?? "";
    expect(at).not.toBe(threadId);
    await machine.until(
      () => texts(CHATS.private, at).some((text) => text.includes("And the food?")),
      "the answer there",
    );
    await ask(CHATS.private, at, "Still here?");
    expect(await said(machine, sessionId)).toContain("user: Still here?");
  });
});

describe("a token that Telegram does not take", () => {
  it("the status names a rejected token rather than a missing home channel", async () => {
    machine = machineAt(CHATS.private, { token: "123456789:never-valid-00000000000000000000000" });
    await machine.startGateway();
    const { stdout } = await machine.run("status");
    expect(stdout).toMatch(/telegram: down, .*does not accept the credentials/);
    expect(stdout).not.toContain("no home channel");
  });
});
