import type { SessionId } from "@hermes/core/embed";
import { ADA, type MatrixEmulator, ROOMS, startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let matrix: MatrixEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  matrix = await startMatrixEmulator();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await matrix.close();
  await model.close();
});

function machineAt(homeChannel: unknown, more: Record<string, unknown> = {}): HermesMachine {
  const options = { ...matrix.options, homeChannel, ...more };
  return machineWith(model, { plugins: [["@hermes/plugin-matrix", options]] });
}

/** What the bot said in a thread. */
function texts(chatId: string, threadId: string): string[] {
  return matrix
    .messages(chatId, threadId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes in a thread, mentions nobody, and is answered there. */
async function ask(chatId: string, threadId: string, question: string): Promise<void> {
  await matrix.receive({ chatId, threadId, text: question });
  await machine.until(
    () => texts(chatId, threadId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question} in the thread`,
  );
}

async function handOff(sessionId: SessionId, chatId: string): Promise<string> {
  const handoff = await machine.json<HandoffDocument>("handoff", "matrix", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const [thread, ...more] = matrix.threads(chatId);
  expect(more).toEqual([]);
  return thread?.id ?? "";
}

describe.each([
  ["a direct chat", ROOMS.direct, ROOMS.direct, {}],
  ["a room", ROOMS.group, { chatId: ROOMS.group, shared: true }, { allowedUsers: [ADA] }],
  ["an encrypted direct chat", ROOMS.encryptedDirect, ROOMS.encryptedDirect, {}],
  ["an encrypted room", ROOMS.encrypted, { chatId: ROOMS.encrypted, shared: true }, { allowedUsers: [ADA] }],
])("a session that is handed off to %s", (_, chatId, homeChannel, more) => {
  it("a session goes on in its thread after a restart, and comes back in order", async () => {
    machine = machineAt(homeChannel, more);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, chatId);
    expect(matrix.threads(chatId)).toMatchObject([{ name: "Plan a trip to Rome" }]);
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
    const onServer = JSON.stringify(matrix.server.room(chatId)?.entries);
    expect(onServer.includes("Which day")).toBe(!matrix.server.room(chatId)?.isEncrypted);
  });
});

describe("a gateway that is killed in an encrypted room", () => {
  it("goes on with its keys: what was written meanwhile is read and answered once", async () => {
    machine = machineAt(ROOMS.encryptedDirect);
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, ROOMS.encryptedDirect);
    await ask(ROOMS.encryptedDirect, threadId, "Which day?");
    gateway.kill("SIGKILL");
    await gateway.exited();
    await matrix.receive({ chatId: ROOMS.encryptedDirect, threadId, text: "Are you there?" });
    await machine.startGateway();
    const answers = () => texts(ROOMS.encryptedDirect, threadId).filter((text) => text.includes("Are you there?"));
    await machine.until(() => answers().length > 0, "the answer in the thread");
    await ask(ROOMS.encryptedDirect, threadId, "And now?");
    expect(answers()).toHaveLength(1);
  });
});

describe("a thread whose first message a person removes", () => {
  it("the session goes on in a new thread after a person removed its root", async () => {
    machine = machineAt(ROOMS.direct);
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const threadId = await handOff(sessionId, ROOMS.direct);
    await matrix.receive({ chatId: ROOMS.direct, threadId, text: "And the food?" });
    matrix.removeThread(ROOMS.direct, threadId);
    const fresh = () => matrix.threads(ROOMS.direct).find(({ id }) => id !== threadId)?.id ?? "";
    await machine.until(() => fresh() !== "", "a new thread");
    await machine.until(
      () => texts(ROOMS.direct, fresh()).some((text) => text.includes("And the food?")),
      "the answer there",
    );
    await ask(ROOMS.direct, fresh(), "Still here?");
    expect(await said(machine, sessionId)).toContain("user: Still here?");
  });
});
