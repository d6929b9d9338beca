import type { SessionId } from "@hermes/core/embed";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let telegram: TelegramEmulator;
let machine: HermesMachine;
let gateway: HermesProcess;
let sessionId: SessionId;

beforeEach(async () => {
  model = await startModel();
  telegram = await startTelegramEmulator();
  telegram.world.hasTopicsInPrivate = false;
  const options = { ...telegram.options, homeChannel: CHATS.private };
  machine = machineWith(model, { plugins: [["@hermes/plugin-telegram", options]] });
  // Before the gateway: a connection that rests for longer than the platform keeps it loses what is sent on it.
  sessionId = await begin(machine, "Plan a trip to Rome");
  gateway = await machine.startGateway();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await telegram.close();
  await model.close();
});

const fromBot = () => telegram.messages(CHATS.private).filter(({ author }) => author === "bot");

async function says(text: string): Promise<void> {
  await machine.until(
    () => fromBot().some((message) => message.text === text),
    () => `“${text}” among ${JSON.stringify(fromBot().map((message) => message.text))}`,
  );
}

/** What the private chat offers to go on with. */
async function offered() {
  const find = () => fromBot().find(({ text }) => text.startsWith("Go on here with"));
  await machine.until(() => find() !== undefined, "the offer");
  return find();
}

async function press(label: string): Promise<void> {
  const messageId = (await offered())?.id ?? "";
  await telegram.press({ chatId: CHATS.private, messageId, label });
}

async function kill(): Promise<void> {
  gateway.kill("SIGKILL");
  await gateway.exited();
}

const TAKEN = [
  ...["user: Plan a trip to Rome", "assistant: Answer to: Plan a trip to Rome"],
  ...["user: How is it going?", "assistant: Answer to: How is it going?"],
];

it("a session begun in the terminal goes on in the private chat after a press", async () => {
  model.push("What do you mean?");
  await telegram.receive({ chatId: CHATS.private, text: "How is it going?" });
  await says("What do you mean?");
  expect((await offered())?.text).toMatch(/Plan a trip to Rome\? You used it in the terminal, .* ago|just now/);
  await press("Go on with it");
  await says("Answer to: How is it going?");
  expect(await said(machine, sessionId)).toEqual(TAKEN);
  expect((await offered())?.text).toContain("you are in it now");
  expect((await offered())?.choices ?? []).toEqual([]);

  await telegram.receive({ chatId: CHATS.private, text: "And the food?" });
  await says("Answer to: And the food?");
  expect((await said(machine, sessionId)).slice(4)).toEqual([
    "user: And the food?",
    "assistant: Answer to: And the food?",
  ]);
  const back = machine.start("resume", sessionId);
  await back.says(/And the food\?/);
  back.endInput();
  await back.exited();
});

it("a gateway that is killed before, in and behind the step takes it along once", async () => {
  // Killed while the fresh message is answered, with the press kept.
  const held = gate();
  model.push({ say: "What do you mean?", hold: held });
  await telegram.receive({ chatId: CHATS.private, text: "How is it going?" });
  await press("Go on with it");
  await machine.until(
    () => fromBot().some(({ text }) => text.startsWith("You switch to it as soon as")),
    "the word that the press waits",
  );
  await kill();
  // Killed while the answer in the other session is being written.
  const written = gate();
  model.push("What do you mean?", { say: "It is going well.", hold: written });
  gateway = await machine.startGateway();
  await written.reached;
  await kill();
  gateway = await machine.startGateway();
  await says("Answer to: How is it going?");
  const lines = await said(machine, sessionId);
  expect(lines.filter((line) => line.startsWith("user: "))).toEqual([
    "user: Plan a trip to Rome",
    "user: How is it going?",
  ]);
  expect(lines.at(-1)).toBe("assistant: Answer to: How is it going?");
  expect(fromBot().filter(({ text }) => text === "Answer to: How is it going?")).toHaveLength(1);
  const { asks, turns } = await machine.store();
  expect(await turns.resumable({ platform: "telegram", account: undefined })).toEqual([]);
  expect(await asks.shownAt("terminal")).toEqual([]);
});

it("a press while no gateway runs counts when one does, and a no stays a no", async () => {
  await telegram.receive({ chatId: CHATS.private, text: "How is it going?" });
  await says("Answer to: How is it going?");
  await offered();
  await kill();
  await press("No");
  gateway = await machine.startGateway();
  await machine.until(
    async () => (await offered())?.choices?.length === 0 || /No\./.test((await offered())?.text ?? ""),
  );
  await telegram.receive({ chatId: CHATS.private, text: "/new" });
  await telegram.receive({ chatId: CHATS.private, text: "And now?" });
  await says("Answer to: And now?");
  expect(fromBot().filter(({ text }) => text.startsWith("Go on here with"))).toHaveLength(1);
  expect(await said(machine, sessionId)).toHaveLength(2);
});
