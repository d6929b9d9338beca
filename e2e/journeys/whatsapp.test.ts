import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import {
  CLOUD_CHATS,
  PERSONAL_CHATS,
  startWhatsAppCloudEmulator,
  startWhatsAppPersonalEmulator,
  type WhatsAppCloudEmulator,
  type WhatsAppPersonalEmulator,
} from "@hermes/plugin-whatsapp/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

type Emulator = WhatsAppCloudEmulator | WhatsAppPersonalEmulator;

let model: ModelServer;
let whatsapp: Emulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await whatsapp.close();
  await model.close();
});

/** A machine whose WhatsApp is `emulator`. */
function useMachine<E extends Emulator>(emulator: E, options: Record<string, unknown>): E {
  whatsapp = emulator;
  machine = machineWith(model, { plugins: [["@hermes/plugin-whatsapp", { ...emulator.options, ...options }]] });
  return emulator;
}

/** What Hermes said in a chat. */
function texts(chatId: string): string[] {
  return whatsapp
    .messages(chatId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes, mentions nobody, and is answered. */
async function ask(question: string, chatId: string, userId?: string): Promise<void> {
  await whatsapp.receive({ chatId, text: question, ...(userId === undefined ? {} : { userId }) });
  await machine.until(
    () => texts(chatId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question}`,
  );
}

function handOff(sessionId: SessionId): Promise<HandoffDocument> {
  return machine.json<HandoffDocument>("handoff", "whatsapp", "--session", sessionId, "--yes");
}

/** `hermes whatsapp link`, with a phone that scans the code. */
async function link(emulator: WhatsAppPersonalEmulator): Promise<void> {
  const linking = machine.start("whatsapp", "link", "--text");
  const [code] = await linking.says(/https:\/\/wa\.me\/settings\/linked_devices#\S+/);
  emulator.scan(code);
  await linking.says(new RegExp(`Linked to \\+${PERSONAL_CHATS.self}`));
  expect(await linking.exited()).toBe(0);
}

/** Chat, handoff, a person goes on, a restart, another person where there is one, and back in the terminal. */
async function journey(chatId: string, otherPerson?: string): Promise<HandoffDocument> {
  const gateway = await machine.startGateway();
  await ask("Something else before", chatId);
  const sessionId = await begin(machine, "Plan a trip to Rome");
  const handoff = await handOff(sessionId);
  expect(handoff).toMatchObject({ state: "completed", error: null });
  // There are no threads: the notice names the conversation that was there before.
  expect(texts(chatId).find((text) => text.includes("/resume"))).toContain("Something else before");

  await ask("Which day for the museums?", chatId);
  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  await machine.startGateway();
  await ask("And a good dinner?", chatId, otherPerson);

  const back = machine.start("resume", sessionId);
  await back.says(/And a good dinner\?/);
  back.type("Thank you");
  await back.says(/Answer to: Thank you/);
  back.endInput();
  expect(await back.exited()).toBe(0);
  const lines = await said(machine, sessionId);
  expect(lines.filter((line) => line.startsWith("user: ")).map((line) => line.replace(/⟦from [^\n]*\n/, ""))).toEqual([
    "user: Plan a trip to Rome",
    "user: Which day for the museums?",
    "user: And a good dinner?",
    "user: Thank you",
  ]);
  expect(lines).toHaveLength(10);
  return handoff;
}

describe("a session that is handed off to WhatsApp", () => {
  it("a session goes on with a business number after a restart, and comes back", async () => {
    useMachine(await startWhatsAppCloudEmulator(), { homeChannel: "+49 170 0000001" });
    expect((await journey(CLOUD_CHATS.ada)).link).toBe(`https://wa.me/${CLOUD_CHATS.ada}`);
  });

  it.each([
    ["a chat with a person", PERSONAL_CHATS.ada, "+49 170 0000101", {}, undefined],
    ["the account's own chat", PERSONAL_CHATS.self, PERSONAL_CHATS.self, {}, undefined],
    [
      "a group with another person",
      PERSONAL_CHATS.group,
      { chatId: PERSONAL_CHATS.group, shared: true },
      { allowedUsers: ["+49 170 0000101", "+49 170 0000102"] },
      PERSONAL_CHATS.bob,
    ],
  ])(
    "goes on in %s of a linked device, after a restart too, and comes back whole",
    async (_, chatId, homeChannel, more, otherPerson) => {
      await link(useMachine(await startWhatsAppPersonalEmulator(), { homeChannel, ...more }));
      await journey(chatId, otherPerson);
    },
  );
});

describe("a gateway of a linked device that is killed at whatever moment", () => {
  it("answers each message once, or tells that the work on it was interrupted", async () => {
    const emulator = useMachine(await startWhatsAppPersonalEmulator(), {
      homeChannel: PERSONAL_CHATS.ada,
      allowedUsers: [PERSONAL_CHATS.bob],
    });
    await link(emulator);
    const people = [PERSONAL_CHATS.ada, PERSONAL_CHATS.bob];
    const moments = [0, 3, 8, 15, 30, 60, 120, 250];
    for (const [round, afterMs] of moments.entries()) {
      const gateway = await machine.startGateway();
      for (const chatId of people) await emulator.receive({ chatId, text: `Question ${round}.` });
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      gateway.kill("SIGKILL");
      await gateway.exited();
    }
    await machine.startGateway();
    for (const chatId of people) await ask("Question at the end.", chatId);
    for (const chatId of people) {
      const told = texts(chatId).filter((text) => /^(?:Answer to:|Hermes stopped)/.test(text));
      for (const [round] of moments.entries()) {
        expect(told.filter((text) => text.includes(`Question ${round}.`))).toHaveLength(1);
      }
    }
  });
});

describe("a gateway with a device that nobody has linked", () => {
  it("an unlinked gateway says how to link a device, and works once it is linked", async () => {
    const emulator = useMachine(await startWhatsAppPersonalEmulator(), { homeChannel: PERSONAL_CHATS.ada });
    const gateway = await machine.startGateway();
    const status = await machine.run("status");
    expect(`${status.stdout}${status.stderr}`).toContain("hermes whatsapp link");
    await link(emulator);
    gateway.kill("SIGTERM");
    await gateway.exited();
    await machine.startGateway();
    await ask("Hello", PERSONAL_CHATS.ada);
  });
});

describe("hermes emulate whatsapp", () => {
  it("a device links to the emulator by the code that is written on its page", async () => {
    whatsapp = await startWhatsAppCloudEmulator();
    machine = machineWith(model);
    const dependencies = { "@hermes/plugin-whatsapp": "*" };
    writeFileSync(join(machine.folder, "package.json"), JSON.stringify({ dependencies }));
    const emulating = machine.start("emulate", "whatsapp", "--port", "0", "--json");
    await emulating.says(/\n\}\n$/);
    const { options, consoleUrl } = JSON.parse(emulating.stdout) as { options: object; consoleUrl: string };
    const write = (chatId: string, text: string) =>
      fetch(`${consoleUrl}receive`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ chatId, text }),
      });
    const homeChannel = PERSONAL_CHATS.ada;
    const personal = { ...options, transport: "personal", homeChannel };
    writeFileSync(
      machine.configPath,
      JSON.stringify({ model: "openai/journey", plugins: [["@hermes/plugin-whatsapp", personal]] }),
    );
    const linking = machine.start("whatsapp", "link", "--text");
    const [code] = await linking.says(/https:\/\/wa\.me\/settings\/linked_devices#\S+/);
    await write(PERSONAL_CHATS.self, code);
    expect(await linking.exited()).toBe(0);
    const gateway = await machine.startGateway();
    await write(PERSONAL_CHATS.ada, "Hello there");
    await machine.until(async () => {
      const shown = await fetch(`${consoleUrl}messages?chatId=${PERSONAL_CHATS.ada}`);
      return (await shown.text()).includes("Answer to: Hello there");
    }, "the answer on the page");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    expect(gateway.stderr).not.toContain("session");
  });
});

describe("where the library for linked devices is not installed", () => {
  /** Installs the plugin in the machine's folder, with what it brings along and nothing else. */
  function installAlone(): void {
    const modules = join(machine.folder, "node_modules");
    const shared = realpathSync(modules);
    const plugin = join(modules, "@hermes/plugin-whatsapp");
    rmSync(modules);
    mkdirSync(join(modules, "@hermes"), { recursive: true });
    for (const name of ["ws", "uqr", "@hermes/core"]) symlinkSync(join(shared, name), join(modules, name));
    cpSync(join(shared, "@hermes/plugin-whatsapp/dist"), join(plugin, "dist"), { recursive: true });
    cpSync(join(shared, "@hermes/plugin-whatsapp/package.json"), join(plugin, "package.json"));
  }

  it("a business number works as anywhere", async () => {
    useMachine(await startWhatsAppCloudEmulator(), { homeChannel: CLOUD_CHATS.ada });
    installAlone();
    await machine.startGateway();
    await ask("Hello", CLOUD_CHATS.ada);
  });

  it("a linked device is refused with what to install", async () => {
    useMachine(await startWhatsAppPersonalEmulator(), { homeChannel: PERSONAL_CHATS.ada });
    installAlone();
    const linked = await machine.run("whatsapp", "link");
    expect(linked.code).toBe(1);
    expect(linked.stderr).toContain("npm install @whiskeysockets/baileys@7.0.0-rc14");
    await machine.startGateway();
    const { stdout } = await machine.run("status");
    expect(stdout).toMatch(/needs @whiskeysockets\/baileys@\S+ for linked devices .* not installed/);
  });
});

describe("a handoff more than 24 hours after the person wrote to a business number", () => {
  it.each([
    ["at once", false],
    ["afterwards, as a report", true],
  ])("fails with that reason when Meta refuses %s, and the session is as it was", async (_, late) => {
    const meta = useMachine(await startWhatsAppCloudEmulator(), { homeChannel: CLOUD_CHATS.ada });
    meta.closeWindow(CLOUD_CHATS.ada, { late });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const { code, stdout } = await machine.run("handoff", "whatsapp", "--session", sessionId, "--yes", "--json");
    expect(code).toBe(1);
    const { error } = JSON.parse(stdout) as { readonly error: object };
    expect(error).toMatchObject({ code: "HANDOFF_SEND_FAILED" });
    expect(JSON.stringify(error)).toContain("24 hours");
    expect(texts(CLOUD_CHATS.ada)).toEqual([]);
    const gone = await machine.json<{ sessionId: SessionId }>("chat", "-q", "Still here?", "--session", sessionId);
    expect(gone.sessionId).toBe(sessionId);
  });
});
