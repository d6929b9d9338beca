import { readFileSync, writeFileSync } from "node:fs";
import { type SlackEmulator, startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "@hermes/plugin-telegram/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

const FOR_EVER = 1_000_000;

let model: ModelServer;
let telegram: TelegramEmulator;
let slack: SlackEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  telegram = await startTelegramEmulator();
  slack = await startSlackEmulator();
  machine = machineWith(model, {
    plugins: [
      ["@hermes/plugin-web", { port: 0 }],
      ["@hermes/plugin-telegram", { ...telegram.options, homeChannel: CHATS.private }],
      ["@hermes/plugin-slack", { ...slack.options, homeChannel: "D0ADA" }],
    ],
  });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await slack.close();
  await telegram.close();
  await model.close();
});

it("a platform that refuses every message fails its own handoff and no other", async () => {
  await machine.startGateway();
  const [rome, oslo, lima] = [await begin(machine, "Rome"), await begin(machine, "Oslo"), await begin(machine, "Lima")];
  slack.fail({ operation: "send", times: FOR_EVER, kind: { is: "refuse", code: "restricted_action" } });

  const [toSlack, toTelegram, toWeb] = await Promise.all([
    machine.run("handoff", "slack", "--session", rome),
    machine.json<HandoffDocument>("handoff", "telegram", "--session", oslo),
    machine.json<HandoffDocument>("handoff", "web", "--session", lima),
  ]);
  expect(toTelegram).toMatchObject({ state: "completed", error: null });
  expect(toWeb).toMatchObject({ state: "completed", error: null });
  expect(toSlack.code).toBe(1);
  expect(toSlack.stderr).toMatch(/^The handoff's messages could not be sent: slack .*restricted_action/);
  expect(toSlack.stderr.split("Fix that, then hand off again.")).toHaveLength(2);
  expect(toSlack.stdout).toContain("Your session is here, unchanged.");
  expect((await machine.run("handoffs")).stdout).toMatch(/Rome → slack: failed.*\n.*restricted_action/);
  expect((await said(machine, rome)).filter((line) => line.startsWith("user: "))).toEqual(["user: Rome"]);
  // Its thread is removed once the session is back here.
  await expect.poll(() => slack.threads("D0ADA")).toEqual([]);
  expect((await machine.run("status")).stdout).toMatch(/web: up {2}.*telegram: up {2}.*slack: up {2}/s);

  slack.heal();
  const again = await machine.json<HandoffDocument>("handoff", "slack", "--session", rome);
  expect(again).toMatchObject({ state: "completed", step: "delivered", error: null });
  expect(slack.threads("D0ADA")).toHaveLength(1);
});

it("an outage delays the platform's own handoff, and the status counts what waits", async () => {
  await machine.startGateway();
  const [rome, oslo] = [await begin(machine, "Rome"), await begin(machine, "Oslo")];
  slack.fail({ operation: "send", times: FOR_EVER, kind: { is: "break" } });
  const waiting = machine.start("handoff", "slack", "--session", rome, "--json");
  await machine.until(
    async () =>
      /slack: up, \d to be sent.*“Rome” is being handed off to slack/s.test((await machine.run("status")).stdout),
    "messages that wait for slack",
  );
  const other = await machine.json<HandoffDocument>("handoff", "telegram", "--session", oslo);
  expect(other).toMatchObject({ state: "completed", error: null });
  expect(waiting.hasExited).toBe(false);

  slack.heal();
  expect(await waiting.exited()).toBe(0);
  expect(JSON.parse(waiting.stdout)).toMatchObject({ state: "completed", step: "delivered", error: null });
  const [thread] = slack.threads("D0ADA");
  expect(slack.messages("D0ADA", thread?.id)).toHaveLength(3);
  expect((await machine.run("status")).stdout).toMatch(/slack: up {2}/);
});

it("a platform that is unreachable at the start says so, and comes up by itself", async () => {
  telegram.fail({ operation: "connect", times: FOR_EVER, kind: { is: "break" } });
  const gateway = await machine.startGateway();
  expect(gateway.stdout).toMatch(/web up.*; telegram down, telegram cannot be reached: .*; slack up/);
  const session = await begin(machine, "Rome");
  const refused = await machine.run("handoff", "telegram", "--session", session);
  expect(refused.code).toBe(1);
  // It is waited for a few seconds first: most platforms are back by then.
  expect(refused.stderr).toMatch(
    /^waiting until telegram can be reached again\ntelegram is not receiving: telegram cannot be reached: .*answered 503/,
  );
  expect((await machine.run("status")).stdout).toMatch(
    /web: up.*telegram: down, telegram cannot be reached.*slack: up/s,
  );
  const elsewhere = await machine.json<HandoffDocument>("handoff", "slack", "--session", session);
  expect(elsewhere).toMatchObject({ state: "completed", error: null });

  telegram.heal();
  await machine.until(async () => (await machine.run("status")).stdout.includes("telegram: up"), "Telegram's return");
  const there = await machine.json<HandoffDocument>("handoff", "telegram", "--session", session);
  expect(there).toMatchObject({ state: "completed", error: null });
});

it("reports a wrong token at once, and serves the platform once it is right", async () => {
  const config = readFileSync(machine.configPath, "utf8");
  writeFileSync(machine.configPath, config.replace(slack.options.botToken, `${slack.options.botToken}0`));
  const gateway = await machine.startGateway();
  const session = await begin(machine, "Rome");
  const refused = await machine.run("handoff", "slack", "--session", session, "--json");
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: {
      code: "HANDOFF_PLATFORM_UNHEALTHY",
      message: expect.stringContaining("slack does not accept the credentials"),
      hint: expect.stringContaining("hermes status"),
    },
  });
  expect((await machine.run("status")).stdout).toMatch(
    /telegram: up.*slack: down, slack does not accept the credentials/s,
  );
  const elsewhere = await machine.json<HandoffDocument>("handoff", "telegram", "--session", session);
  expect(elsewhere).toMatchObject({ state: "completed", error: null });

  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  writeFileSync(machine.configPath, config);
  await machine.startGateway();
  const there = await machine.json<HandoffDocument>("handoff", "slack", "--session", session);
  expect(there).toMatchObject({ state: "completed", error: null });
});
