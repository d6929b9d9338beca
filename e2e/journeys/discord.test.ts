import type { SessionId } from "@hermes/core/embed";
import { CHANNEL, type DiscordEmulator, PERSON, startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let discord: DiscordEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  discord = await startDiscordEmulator();
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await discord.close();
  await model.close();
});

function machineAt(home: Record<string, unknown>): HermesMachine {
  const homeChannel = { shared: true, ...home };
  const options = { ...discord.options, homeChannel, allowedUsers: [PERSON.id] };
  return machineWith(model, { plugins: [["@hermes/plugin-discord", options]] });
}

function texts(chatId: string, threadId?: string): string[] {
  return discord
    .messages(chatId, threadId)
    .filter(({ author }) => author === "bot")
    .map(({ text }) => text);
}

/** A person writes in a thread, mentions nobody, and is answered there. */
async function ask(chatId: string, threadId: string, question: string): Promise<void> {
  await discord.receive({ chatId, threadId, text: question });
  await machine.until(
    () => texts(chatId, threadId).some((text) => text.startsWith("Answer to:") && text.includes(question)),
    `the answer to ${question} in the thread`,
  );
}

async function handOff(sessionId: SessionId, chatId: string): Promise<{ threadId: string; handoff: HandoffDocument }> {
  const handoff = await machine.json<HandoffDocument>("handoff", "discord", "--session", sessionId, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const [thread, ...more] = discord.threads(chatId);
  expect(more).toEqual([]);
  return { threadId: thread?.id ?? "", handoff };
}

describe.each([
  ["a channel", CHANNEL.general, {}],
  ["a forum", CHANNEL.taggedForum, { tag: "sessions" }],
])("a session that is handed off to %s", (_, chatId, home) => {
  it("a session goes on in its thread after a restart, and comes back in order", async () => {
    machine = machineAt({ chatId, ...home });
    const gateway = await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const { threadId, handoff } = await handOff(sessionId, chatId);
    expect(handoff.link).toMatch(new RegExp(`^https://discord\\.com/channels/\\d+/${threadId}$`));
    expect(discord.threads(chatId)).toEqual([{ id: threadId, name: "Plan a trip to Rome", isVisible: true }]);

    await ask(chatId, threadId, "Which day for the museums?");
    gateway.kill("SIGTERM");
    expect(await gateway.exited()).toBe(0);
    // Nobody is there to hear it; it is fetched when somebody is.
    await discord.receive({ chatId, threadId, text: "And a good dinner?" });
    await machine.startGateway();
    await machine.until(
      () => texts(chatId, threadId).some((text) => text.startsWith("Answer to:") && text.includes("good dinner?")),
      "the answer to what was written meanwhile",
    );

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
    expect(texts(chatId)).toEqual([]);
  });
});

describe("a session that is handed off where the bot may open no threads", () => {
  it("a handoff without the right for threads lands in the channel, and says so", async () => {
    discord.deny(CHANNEL.general, "CreatePublicThreads");
    machine = machineAt({ chatId: CHANNEL.general });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await handOff(sessionId, CHANNEL.general);
    expect(texts(CHANNEL.general)[0]).toMatch(/the bot lacks Create Public Threads in #general/);
    await discord.receive({ chatId: CHANNEL.general, text: "And the food?" });
    await machine.until(
      () => texts(CHANNEL.general).some((text) => text.startsWith("Answer to:") && text.includes("And the food?")),
      "the answer in the channel",
    );
  });
});

describe("a slash command of Discord's", () => {
  it("a slash command is answered in the thread where it was given", async () => {
    machine = machineAt({ chatId: CHANNEL.general });
    await machine.startGateway();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const { threadId } = await handOff(sessionId, CHANNEL.general);
    await machine.until(() => discord.commands.some(({ name }) => name === "title"), "the slash commands");
    await discord.receive({ chatId: CHANNEL.general, threadId, text: "/title Rome in May" });
    await machine.until(() => texts(CHANNEL.general, threadId).some((text) => text.includes("Rome in May")), "a reply");
    const shown = await machine.json<{ title: string }>("sessions", "show", sessionId);
    expect(shown.title).toBe("Rome in May");
  });
});
