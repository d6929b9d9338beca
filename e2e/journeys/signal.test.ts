import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import { CHATS, PEOPLE, type SignalEmulator, startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

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
  return lines.filter((line) => line.startsWith("user: ")).map((line) => line.replace(/⟦from [^\n]*\n/, ""));
}

describe.each([
  ["a private chat, named by number", CHATS.ada, PEOPLE.ada.number, {}],
  ["a group", CHATS.group, { chatId: CHATS.group, shared: true }, { allowedUsers: [PEOPLE.ada.number] }],
  ["the notes to oneself", CHATS.noteToSelf, PEOPLE.self.number, {}],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("a session goes on there after a restart, and comes back in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId);
    expect(texts(chatId)).toHaveLength(3);
    expect(texts(chatId)[0]).toContain("It has no thread of its own: signal has no threads there.");

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
  it("a handoff takes over the chat and says how to resume its other session", async () => {
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

describe("a group as home", () => {
  it("all allowed people of a group home share a session; others are ignored", async () => {
    const allowedUsers = [PEOPLE.ada.number, PEOPLE.grace.uuid];
    machine = machineAt({ chatId: CHATS.group, shared: true }, { allowedUsers });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId);
    await ask(CHATS.group, "Which day for the museums?");
    const stranger = { userId: "33333333-aaaa-4bbb-8ccc-000000000003", userName: "Mallory" };
    await signal.receive({ chatId: CHATS.group, text: "Cancel the trip", ...stranger });
    await signal.receive({ chatId: CHATS.group, text: "And dinner?", userId: PEOPLE.grace.uuid });
    await answered(CHATS.group, "And dinner?");
    const lines = (await said(machine, sessionId)).filter((line) => line.startsWith("user: "));
    expect(lines).toEqual([
      "user: Plan a trip to Rome",
      expect.stringMatching(/^user: ⟦from "Ada" #[0-9a-f]{6}⟧\nWhich day for the museums\?$/),
      expect.stringMatching(/^user: ⟦from "Grace" #[0-9a-f]{6}⟧\nAnd dinner\?$/),
    ]);
  });
});

describe("a gateway that is killed", () => {
  it("the next gateway answers a message whose file a killed one was fetching", async () => {
    machine = machineAt(PEOPLE.ada.number);
    const gateway = await machine.startGateway();
    // An old daemon repeats nothing: what the gateway had read was the only copy.
    signal.setFeed({ numbersEvents: false });
    signal.fail({ operation: "getAttachment", kind: { is: "hang" } });
    const files = [{ name: "list.txt", mediaType: "text/plain", content: "milk, bread" }];
    await signal.receive({ chatId: CHATS.ada, text: "What is on my list?", files });
    const journal = join(machine.home, "plugins", "signal", "events.jsonl");
    const isKept = () => existsSync(journal) && readFileSync(journal, "utf8").includes("What is on my list?");
    await machine.until(isKept, "the event in the journal");
    gateway.kill("SIGKILL");
    await gateway.exited();
    signal.heal();
    await machine.startGateway();
    await answered(CHATS.ada, "milk, bread");
    expect(texts(CHATS.ada)).toHaveLength(1);
  });

  it("a gateway killed while the model thinks is followed by one that answers once", async () => {
    const thinking = gate();
    model.push({ say: "Yes, of course", hold: thinking });
    machine = machineAt(PEOPLE.ada.number);
    const gateway = await machine.startGateway();
    await signal.receive({ chatId: CHATS.ada, text: "Are you there?" });
    await thinking.reached;
    gateway.kill("SIGKILL");
    await gateway.exited();
    await machine.startGateway();
    await answered(CHATS.ada, "Are you there?");
    expect(texts(CHATS.ada)).toHaveLength(1);
    thinking.open();
  });

  it("the next gateway answers once what was written before and after a kill", async () => {
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
