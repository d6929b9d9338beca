import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { begin, type HandoffDocument } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

interface StatusDocument {
  readonly adapters: readonly { readonly platform: string; readonly health: string; readonly detail: string | null }[];
}

let model: ModelServer;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

it("a platform with a revoked token disturbs no other, and the status says so", async () => {
  await using telegram = await startTelegramEmulator();
  await using slack = await startSlackEmulator();
  await using machine = machineWith(model, {
    plugins: [
      ["@hermes/plugin-telegram", { ...telegram.options, homeChannel: CHATS.private }],
      ["@hermes/plugin-slack", { ...slack.options, homeChannel: "D0ADA" }],
    ],
  });
  const answers = () => slack.messages("D0ADA").map(({ text }) => text);
  await machine.startGateway();
  const session = await begin(machine, "Plan a trip to Rome");
  telegram.fail({ operation: "connect", times: 1_000, kind: { is: "refuse", code: "Unauthorized" } });
  telegram.fail({ operation: "connect", kind: { is: "disconnect" } });
  await machine.until(async () => {
    const { adapters } = await machine.json<StatusDocument>("status");
    return adapters.some(({ platform, health }) => platform === "telegram" && health === "down");
  }, "the end of the token");

  const { adapters } = await machine.json<StatusDocument>("status");
  expect(adapters).toMatchObject([
    { platform: "telegram", health: "down", detail: expect.stringContaining("does not accept the credentials") },
    { platform: "slack", health: "up" },
  ]);
  const refused = await machine.run("handoff", "telegram", "--session", session);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("telegram does not accept the credentials");

  await slack.receive({ chatId: "D0ADA", text: "Are you there?" });
  await machine.until(() => answers().includes("Answer to: Are you there?"), "an answer on the other platform");
  const handoff = await machine.json<HandoffDocument>("handoff", "slack", "--session", session, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const [thread] = slack.threads("D0ADA");
  await slack.receive({ chatId: "D0ADA", threadId: thread?.id ?? "", text: "Which day for the museums?" });
  await machine.until(
    () => slack.messages("D0ADA", thread?.id).some(({ text }) => text === "Answer to: Which day for the museums?"),
    "the answer in the thread",
  );
});
