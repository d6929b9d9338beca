import type { SessionId } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/core/testing";
import { CLOUD_CHATS, startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "@hermes/plugin-whatsapp/emulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";

const { ada: ADA } = CLOUD_CHATS;

let model: ModelServer;
let meta: WhatsAppCloudEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  meta = await startWhatsAppCloudEmulator();
  const options = { ...meta.options, homeChannel: "+49 170 0000001" };
  machine = machineWith(model, { plugins: [["@hermes/plugin-whatsapp", options]] });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await meta.close();
  await model.close();
});

/** What the business said. */
function texts(): string[] {
  return meta
    .messages(ADA)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes, and is answered. */
async function ask(question: string): Promise<void> {
  await meta.receive({ chatId: ADA, text: question });
  await machine.until(
    () => texts().some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question}`,
  );
}

function handOff(sessionId: SessionId): Promise<HandoffDocument> {
  return machine.json<HandoffDocument>("handoff", "whatsapp", "--session", sessionId, "--yes");
}

describe("a session that is handed off to a chat with a business number", () => {
  it("goes on there, after a restart of the gateway too, and comes back with every turn in order", async () => {
    const gateway = await machine.startGateway();
    await ask("Something else before");
    const sessionId = await begin(machine, "Plan a trip to Rome");
    expect(await handOff(sessionId)).toMatchObject({ state: "completed", error: null, link: `https://wa.me/${ADA}` });
    // There are no threads: the notice names the conversation that was there before.
    expect(texts().find((text) => text.includes("/resume"))).toContain("Something else before");

    await ask("Which day for the museums?");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    await machine.startGateway();
    await ask("And a good dinner?");

    const back = machine.start("resume", sessionId);
    await back.says(/And a good dinner\?/);
    back.type("Thank you");
    await back.says(/Answer to: Thank you/);
    back.endInput();
    expect(await back.exited()).toBe(0);
    const lines = await said(machine, sessionId);
    expect(lines.filter((line) => line.startsWith("user: "))).toEqual([
      "user: Plan a trip to Rome",
      "user: Which day for the museums?",
      "user: And a good dinner?",
      "user: Thank you",
    ]);
    expect(lines).toHaveLength(10);
  });
});

describe("a handoff more than 24 hours after the person wrote", () => {
  it.each([
    ["at once", false],
    ["afterwards, as a report", true],
  ])("fails with that reason when Meta refuses %s, and the session is as it was", async (_, late) => {
    meta.closeWindow(ADA, { late });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const { code, stdout } = await machine.run("handoff", "whatsapp", "--session", sessionId, "--yes", "--json");
    expect(code).toBe(1);
    const { error } = JSON.parse(stdout) as { readonly error: object };
    expect(error).toMatchObject({ code: "HANDOFF_SEND_FAILED" });
    expect(JSON.stringify(error)).toContain("24 hours");
    expect(texts()).toEqual([]);
    const gone = await machine.json<{ sessionId: SessionId }>("chat", "-q", "Still here?", "--session", sessionId);
    expect(gone.sessionId).toBe(sessionId);
  });
});
