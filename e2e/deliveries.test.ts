import { CHATS, startTelegramEmulator, type TelegramEmulator } from "@hermes/plugin-telegram/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";

interface Delivery {
  readonly deliveryId: string;
  readonly state: string;
  readonly platform: string;
  readonly text?: string;
  readonly isServed?: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
}

let model: ModelServer;
let telegram: TelegramEmulator;
let machine: HermesMachine;
beforeEach(async () => {
  model = await startModel();
  telegram = await startTelegramEmulator();
  machine = machineWith(model, {
    plugins: [["@hermes/plugin-telegram", { ...telegram.options, homeChannel: CHATS.private }]],
  });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await telegram.close();
  await model.close();
});

const list = async () => (await machine.json<{ deliveries: Delivery[] }>("deliveries")).deliveries;
const said = () =>
  telegram
    .messages(CHATS.private)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);

/** A person asks while the bot is blocked. */
async function askInVain(question: string, refusedBefore: number): Promise<void> {
  await telegram.receive({ chatId: CHATS.private, text: question });
  const { deliveries } = await machine.store();
  const refused = () => deliveries.list({ limit: refusedBefore + 1 });
  await machine.until(async () => (await refused()).length > refusedBefore, `the answer to ${question} is refused`);
}

it("an answer that Telegram refuses is listed, sent again or dropped on request", async () => {
  await machine.startGateway();
  telegram.fail({
    ...{ operation: "send", times: 1_000_000 },
    kind: { is: "refuse", code: "Forbidden: bot was blocked by the user" },
  });
  await askInVain("Rome", 0);
  const [refused] = await list();
  expect(refused).toMatchObject({
    ...{ state: "failed", platform: "telegram" },
    error: { code: "PLATFORM_FORBIDDEN", message: expect.stringContaining("bot was blocked by the user") },
  });
  expect((await machine.run("status")).stdout).toMatch(/telegram: up, 1 not delivered \(`hermes deliveries`\)/);
  expect((await machine.run("deliveries", "show", "1")).stdout).toContain("bot was blocked by the user");

  telegram.heal();
  const again = await machine.json<Delivery>("deliveries", "retry", "1");
  expect(again).toMatchObject({ deliveryId: refused?.deliveryId, state: "waiting", isServed: true });
  await machine.until(() => said().length === 1, "the answer is sent by the gateway that runs");
  expect(await list()).toEqual([]);

  telegram.fail({
    ...{ operation: "send", times: 1_000_000 },
    kind: { is: "refuse", code: "Forbidden: bot was blocked by the user" },
  });
  await askInVain("Oslo", 0);
  await askInVain("Lima", 1);
  telegram.heal();
  await machine.run("gateway", "stop");
  const [lima, oslo] = await list();
  expect(await machine.json<Delivery>("deliveries", "drop", lima?.deliveryId ?? "")).toMatchObject({
    state: "dropped",
  });
  expect(await machine.json<Delivery>("deliveries", "retry", oslo?.deliveryId ?? "")).toMatchObject({
    isServed: false,
  });
  expect(said()).toHaveLength(1);
  await machine.startGateway();
  await machine.until(() => said().length === 2, "the answer is sent by the gateway that starts");
  expect(await list()).toEqual([]);
});
