import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AskingChat } from "../support/asking-chat.ts";
import type { HermesProcess } from "../support/hermes-process.ts";

let chat: AskingChat;
let gateway: HermesProcess;

beforeAll(async () => {
  const telegram = await startTelegramEmulator();
  telegram.world.hasTopicsInPrivate = false;
  chat = await AskingChat.begin(telegram, { chatId: CHATS.private }, { plugin: { homeChannel: CHATS.private } });
  gateway = await chat.startGateway();
});
afterAll(() => chat[Symbol.asyncDispose]());

/** The session of the open question. */
async function waiting(): Promise<{ readonly sessionId: string; readonly code: string }> {
  const [open] = await (await chat.machine.store()).approvals.open();
  if (open === undefined) throw new Error("nothing is asked");
  return open;
}

it("a call that is allowed after /new runs, and its answer names its session", async () => {
  const before = chat.ran;
  const question = await chat.ask();
  await chat.write("/new");
  await chat.says(/new session|New session/i);
  await chat.press(question, "Allow once");
  await chat.says(/^Count it\n+.*All is counted\.$/s);
  expect(chat.ran).toBe(before + 1);
  expect(chat.textOf(question)).toContain("Allowed once");
});

it.each(["/stop", "/undo"])("%s closes the question of a turn that waits, and nothing runs", async (command) => {
  const before = chat.ran;
  const question = await chat.ask();
  await chat.write(command);
  await chat.machine.until(() => !/Answer yes or no/.test(chat.textOf(question)), "the end of the question");
  const { approvals, turns } = await chat.machine.store();
  expect(await approvals.open()).toEqual([]);
  expect(await turns.resumable({ platform: "telegram", account: undefined })).toEqual([]);
  expect(chat.messages().find(({ id }) => id === question.id)?.choices ?? []).toEqual([]);
  expect(chat.ran).toBe(before);
});

it("a press that the platform delivers twice lets the call run once", async () => {
  const before = chat.ran;
  const said = chat.said().length;
  const question = await chat.ask();
  chat.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
  await chat.press(question, "Allow once");
  await chat.says(/All is counted/, said);
  await chat.write("/status");
  await chat.says(/Mode|mode/, said);
  expect(chat.ran).toBe(before + 1);
  expect(
    chat
      .said()
      .slice(said)
      .filter((text) => /All is counted/.test(text)),
  ).toHaveLength(1);
});

it("a turn that is decided while no gateway lives goes on with the next one", async () => {
  const before = chat.ran;
  const question = await chat.ask();
  const said = chat.said().length;
  const { code } = await waiting();
  gateway.kill("SIGTERM");
  await gateway.exited();
  const allowed = await chat.machine.run("approvals", "allow", code);
  expect(allowed.code, allowed.stderr).toBe(0);
  expect(allowed.stdout).toMatch(/It goes on .* when a gateway serves that/);
  expect(chat.ran).toBe(before);

  gateway = await chat.startGateway();
  await chat.says(/All is counted/, said);
  expect(chat.ran).toBe(before + 1);
  expect(chat.textOf(question)).toMatch(/Allowed once by .*, in the terminal/);
});

it("a session that is deleted closes its question, and nothing runs", async () => {
  const before = chat.ran;
  const question = await chat.ask();
  const { sessionId } = await waiting();
  const { code, stderr } = await chat.machine.run("sessions", "delete", sessionId, "--force");
  expect(code, stderr).toBe(0);
  await chat.machine.until(() => !/Answer yes or no/.test(chat.textOf(question)), "the end of the question");
  expect(chat.messages().find(({ id }) => id === question.id)?.choices ?? []).toEqual([]);
  expect(chat.ran).toBe(before);
  // Telegram counts in seconds: what is written in the same one may be from before the deletion.
  const second = Math.floor(Date.now() / 1_000);
  await chat.machine.until(() => Math.floor(Date.now() / 1_000) > second, "the next second");
});

it("an earlier message that is edited into a yes decides nothing", async () => {
  const before = chat.ran;
  const { messageId } = await chat.emulator.receive({ chatId: CHATS.private, text: "/status" });
  await chat.ask();
  await chat.emulator.receive({ chatId: CHATS.private, text: "yes", editOf: messageId });
  await chat.emulator.receive({ chatId: CHATS.private, text: "yes", forwarded: { from: "Mallory" } });
  await chat.says(/Answer the question above first/);
  expect(chat.ran).toBe(before);
  expect(await (await chat.machine.store()).approvals.open()).toHaveLength(1);
});
