import type { SessionId } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/core/testing";
import { CHATS, PEOPLE, type SignalEmulator, startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";

let model: ModelServer;
let signal: SignalEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  signal = await startSignalEmulator();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await signal.close();
  await model.close();
});

function machineAt(homeChannel: unknown, more: Record<string, unknown> = {}): HermesMachine {
  const options = { ...signal.options, homeChannel, ...more };
  return machineWith(model, { plugins: [["@hermes/plugin-signal", options]] });
}

/** What Hermes said in a chat. */
function texts(chatId: string): string[] {
  return signal
    .messages(chatId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes, mentions nobody, and is answered. */
async function ask(chatId: string, question: string): Promise<void> {
  await signal.receive({ chatId, text: question });
  await answered(chatId, question);
}

async function answered(chatId: string, question: string): Promise<void> {
  await machine.until(
    () => texts(chatId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question}`,
  );
}

async function handOff(sessionId: SessionId): Promise<void> {
  const handoff = await machine.json<HandoffDocument>("handoff", "signal", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
}

async function userLines(sessionId: SessionId): Promise<string[]> {
  const lines = await said(machine, sessionId);
  return lines.filter((line) => line.startsWith("user: ")).map((line) => line.replace(/\[from [^\n]*\n/, ""));
}

describe.each([
  ["a private chat, named by number", CHATS.ada, PEOPLE.ada.number, {}],
  ["a group", CHATS.group, { chatId: CHATS.group, shared: true }, { allowedUsers: [PEOPLE.ada.number] }],
  ["the notes to oneself", CHATS.noteToSelf, PEOPLE.self.number, {}],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("goes on there, after a restart of the gateway too, and comes back with every turn in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId);
    expect(texts(chatId)).toHaveLength(3);

    await ask(chatId, "Which day for the museums?");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    // Written while nobody reads: the daemon has it when the gateway is back.
    await signal.receive({ chatId, text: "And a good dinner?" });
    await machine.startGateway();
    await answered(chatId, "And a good dinner?");

    const back = machine.start("resume", sessionId);
    await back.says(/And a good dinner\?/);
    back.type("Thank you");
    await back.says(/Answer to: Thank you/);
    back.endInput();
    expect(await back.exited()).toBe(0);
    expect(await userLines(sessionId)).toEqual([
      "user: Plan a trip to Rome",
      "user: Which day for the museums?",
      "user: And a good dinner?",
      "user: Thank you",
    ]);
    expect(await said(machine, sessionId)).toHaveLength(10);
  });
});

describe("a session that is handed off to a chat that already talks to another", () => {
  it("takes the chat, and says how to get the other one back", async () => {
    machine = machineAt(PEOPLE.ada.number);
    await machine.startGateway();
    await ask(CHATS.ada, "What is for lunch?");
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId);
    const notice = texts(CHATS.ada).find((text) => text.includes("/resume"));
    expect(notice).toContain("What is for lunch?");
    await ask(CHATS.ada, "And the museums?");
    expect(await userLines(sessionId)).toContain("user: And the museums?");

    await signal.receive({ chatId: CHATS.ada, text: "/resume What is for lunch?" });
    await machine.until(() => texts(CHATS.ada).some((text) => /lunch/.test(text) && text !== notice), "the way back");
    await ask(CHATS.ada, "And dessert?");
    expect(await userLines(sessionId)).not.toContain("user: And dessert?");
  });
});

describe("a gateway that is killed", () => {
  it("is followed by one that answers what was written before and during, once", async () => {
    machine = machineAt(PEOPLE.ada.number);
    const gateway = await machine.startGateway();
    await ask(CHATS.ada, "Are you there?");
    // Killed before the send is recorded, it could not be looked up here, and would be offered once more.
    const { outbox } = await machine.store();
    await machine.until(
      async () => (await outbox.openLanes("signal", undefined)).length === 0,
      "the record of the send",
    );
    gateway.kill("SIGKILL");
    await gateway.exited();
    await signal.receive({ chatId: CHATS.ada, text: "And now?" });
    await machine.startGateway();
    await answered(CHATS.ada, "And now?");
    expect(texts(CHATS.ada).filter((text) => text.startsWith("Answer to:"))).toHaveLength(2);
  });
});

describe("a stranger", () => {
  it("gets no answer, and no word", async () => {
    machine = machineAt(PEOPLE.ada.number);
    await machine.startGateway();
    await signal.receive({ chatId: CHATS.grace, text: "Hello?" });
    await ask(CHATS.ada, "Is it quiet?");
    expect(texts(CHATS.grace)).toEqual([]);
  });
});
