import type { Emulator } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { PEOPLE as MAC, startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { expect, it } from "vitest";
import { AskingChat } from "../support/asking-chat.ts";

/** Ids of somebody who may talk to the agent, and of a stranger. */
const PEOPLE: readonly (readonly [name: string, start: () => Promise<Emulator>, member: string, stranger: string])[] = [
  ["telegram", startTelegramEmulator, "2002", "3003"],
  ["discord", startDiscordEmulator, "900000000000002002", "900000000000003003"],
  ["slack", startSlackEmulator, "U0BOB", "U0EVE"],
  ["imessage", startBlueBubblesEmulator, MAC.grace, "eve@example.com"],
];

it.each(PEOPLE)(
  "only the operator decides in a shared chat on %s, whoever else answers",
  async (_, start, member, stranger) => {
    const emulator = await start();
    const chatId = emulator.chats.find(({ kind }) => kind === "group")?.id ?? "";
    const operator = emulator.people[0]?.id ?? "";
    await using chat = await AskingChat.begin(
      emulator,
      { chatId },
      { plugin: { homeChannel: { chatId, shared: true }, operators: [operator], allowedUsers: [member] } },
    );
    await chat.startGateway();
    const question = await chat.ask(operator);
    expect(question.choices).toEqual(["Allow once", "No"]);
    const { approvals, users } = await chat.machine.store();
    const said = chat.said().length;

    await chat.press(question, "Allow once", stranger);
    await chat.writeBelow(question, "yes", stranger);
    await chat.machine.until(async () => (await users.refused(emulator.platform, undefined)) >= 2, "two refusals");
    expect(chat.said()).toHaveLength(said);

    await chat.press(question, "Allow once", member);
    await chat.says(/^Only an operator can answer this\.$/, said);
    await chat.writeBelow(question, "yes", member);
    await chat.says(/Only an operator can answer the question above/, said);
    expect([chat.ran, (await approvals.open()).length]).toEqual([0, 1]);

    await chat.press(question, "Allow once", operator);
    await chat.says(/All is counted/, said);
    expect(chat.ran).toBe(1);
  },
);

it("a former operator gets no further call, though it was allowed", async () => {
  const emulator = await startTelegramEmulator();
  const chatId = emulator.chats.find(({ kind }) => kind === "group")?.id ?? "";
  const operator = emulator.people[0]?.id ?? "";
  const homeChannel = { chatId, shared: true };
  await using chat = await AskingChat.begin(emulator, { chatId }, { plugin: { homeChannel, operators: [operator] } });
  const gateway = await chat.startGateway();
  await chat.ask(operator);
  const said = chat.said().length;
  const [open] = await (await chat.machine.store()).approvals.open();
  gateway.kill("SIGKILL");
  await gateway.exited();
  await chat.machine.json("approvals", "allow", open?.code ?? "");

  chat.configure({ homeChannel, operators: ["9999"], allowedUsers: [operator] });
  await chat.startGateway();
  await chat.says(/All is counted/, said);
  expect(chat.ran).toBe(0);
  const result = chat.model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
  expect(JSON.stringify(result?.content)).toContain("Not run: ");
});
