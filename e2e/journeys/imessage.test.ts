import type { SessionId } from "@hermes/core/embed";
import { type BlueBubblesEmulator, CHATS, PEOPLE, startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

/** An address of the account that neither the server tells nor the config names. */
const UNTOLD = "+4915557777777";

let model: ModelServer;
let mac: BlueBubblesEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  mac = await startBlueBubblesEmulator();
  mac.addOwnAddress(UNTOLD);
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await mac.close();
  await model.close();
});

function machineAt(homeChannel: unknown, more: Record<string, unknown> = {}): HermesMachine {
  return machineWith(model, { plugins: [["@hermes/plugin-imessage", { ...mac.options, homeChannel, ...more }]] });
}

/** What Hermes said in a chat. */
function texts(chatId: string): string[] {
  return mac
    .messages(chatId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

async function ask(chatId: string, question: string): Promise<void> {
  await mac.receive({ chatId, text: question });
  await answered(chatId, question);
}

async function answered(chatId: string, question: string): Promise<void> {
  await machine.until(
    () => texts(chatId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question}`,
  );
}

async function handOff(sessionId: SessionId): Promise<void> {
  const handoff = await machine.json<HandoffDocument>("handoff", "imessage", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
}

async function userLines(sessionId: SessionId): Promise<string[]> {
  const lines = await said(machine, sessionId);
  return lines.filter((line) => line.startsWith("user: ")).map((line) => line.replace(/⟦from [^\n]*\n/, ""));
}

describe.each([
  ["a private chat, named by number", CHATS.ada, PEOPLE.ada, {}],
  ["a group", CHATS.group, { chatId: "chat100000000000000001", shared: true }, { allowedUsers: [PEOPLE.ada] }],
  ["the chat with oneself", CHATS.self, PEOPLE.self, {}],
  ["a chat with oneself by a number that nobody told", `iMessage;-;${UNTOLD}`, UNTOLD, {}],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("a session goes on there after a restart, and comes back in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId);
    expect(texts(chatId)[0]).toContain("It has no thread of its own: imessage has no threads there.");

    await ask(chatId, "Which day for the museums?");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    // Written while nobody listens: only the history on the Mac has it.
    await mac.receive({ chatId, text: "And a good dinner?" });
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
    for (const question of ["museums", "dinner"]) {
      expect(texts(chatId).filter((text) => text.includes(question))).toHaveLength(1);
    }
  });
});

describe("a Mac that is away", () => {
  it("the gateway answers what was written during a restart once, in order", async () => {
    machine = machineAt(PEOPLE.ada);
    await machine.startGateway();
    await ask(CHATS.ada, "Are you there?");
    mac.setMac({ power: "restarting" });
    await mac.receive({ chatId: CHATS.ada, text: "The first?" });
    await mac.receive({ chatId: CHATS.ada, text: "The second?" });
    mac.setMac({ power: "on" });
    await answered(CHATS.ada, "The first?");
    await answered(CHATS.ada, "The second?");
    const answers = texts(CHATS.ada).filter((text) => text.startsWith("Answer to:"));
    expect(answers.map((text) => /there|first|second/.exec(text)?.[0])).toEqual(["there", "first", "second"]);
  });

  it("a server that tells of old messages again gets no second answer", async () => {
    machine = machineAt(PEOPLE.ada);
    await machine.startGateway();
    await ask(CHATS.ada, "Are you there?");
    mac.replay(10);
    await ask(CHATS.ada, "And now?");
    expect(texts(CHATS.ada).filter((text) => text.startsWith("Answer to:"))).toHaveLength(2);
  });
});

describe("a gateway that is killed", () => {
  it("a gateway killed while the model thinks is followed by one that answers once", async () => {
    const thinking = gate();
    model.push({ say: "Yes, of course", hold: thinking });
    machine = machineAt(PEOPLE.ada);
    const gateway = await machine.startGateway();
    await mac.receive({ chatId: CHATS.ada, text: "Are you there?" });
    await thinking.reached;
    gateway.kill("SIGKILL");
    await gateway.exited();
    await machine.startGateway();
    await answered(CHATS.ada, "Are you there?");
    expect(texts(CHATS.ada)).toHaveLength(1);
    thinking.open();
  });
});

describe("a stranger", () => {
  it("gets no answer, and no word", async () => {
    machine = machineAt(PEOPLE.ada);
    await machine.startGateway();
    await mac.receive({ chatId: CHATS.grace, text: "Hello?" });
    await ask(CHATS.ada, "Is it quiet?");
    expect(texts(CHATS.grace)).toEqual([]);
  });
});
