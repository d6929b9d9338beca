import type { EmulatedChat, Emulator } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { startEmulator as startWhatsAppEmulator } from "@hermes/plugin-whatsapp/emulator";
import { expect, it } from "vitest";
import { begin, type HandoffDocument, said, threadOf } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPage } from "../support/page.ts";

const START: readonly (() => Promise<Emulator>)[] = [
  startTelegramEmulator,
  startDiscordEmulator,
  startSlackEmulator,
  startSignalEmulator,
  startBlueBubblesEmulator,
  startMatrixEmulator,
  startWhatsAppEmulator,
];

/** A chat with threads, a private one where there is one of these; any private one otherwise. */
function homeOf({ chats }: Emulator): EmulatedChat {
  const withThreads = chats.filter(({ hasThreads, label }) => hasThreads && !/forum|media/i.test(label));
  const home =
    withThreads.find(({ kind }) => kind === "dm") ?? withThreads[0] ?? chats.find(({ kind }) => kind === "dm");
  if (!home) throw new Error("the emulator has no chat for a home channel");
  return home;
}

it("one session goes to each platform and back, with every turn once and in order", async () => {
  await using model = await startModel();
  const platforms = await Promise.all(
    START.map(async (start) => {
      const emulator = await start();
      return { emulator, home: homeOf(emulator), name: emulator.platform };
    }),
  );
  const plugins = platforms.map(({ emulator, home, name }) => [
    `@hermes/plugin-${name}`,
    { ...emulator.options, homeChannel: { chatId: home.id, shared: true }, allowedUsers: ["*"] },
  ]);
  await using machine = machineWith(model, { plugins: [...plugins, ["@hermes/plugin-web", { port: 0 }]] });
  try {
    const { gateways } = await machine.store();
    machine.start("gateway");
    await machine.until(async () => {
      const [gateway] = await gateways.alive();
      return gateway?.platforms.every(({ health }) => health.state === "up") ?? false;
    }, "every platform");

    const expected = ["Begin in the terminal"];
    const sessionId = await begin(machine, "Begin in the terminal");
    const handOff = async (platform: string) => {
      const handoff = await machine.json<HandoffDocument>("handoff", platform, "--session", sessionId, "--yes");
      expect(handoff).toMatchObject({ platform, state: "completed", error: null });
      return handoff;
    };
    const comeBack = async (question: string) => {
      await machine.json("chat", "-q", question, "--session", sessionId);
      expected.push(question);
    };

    for (const { emulator, home, name } of platforms) {
      await handOff(name);
      const threadId = home.hasThreads ? emulator.threads(home.id).at(-1)?.id : undefined;
      const place = { chatId: home.id, ...(threadId === undefined ? {} : { threadId }) };
      const question = `Go on with ${name}`;
      await emulator.receive({ ...place, text: question });
      await machine.until(
        () =>
          emulator.messages(home.id, threadId).some(({ author, text }) => author === "bot" && text.includes(question)),
        `the answer on ${name}`,
      );
      expected.push(question);
      await comeBack(`Back from ${name}`);
    }

    const { link } = await handOff("web");
    const page = await openPage(machine);
    await page.ask(machine, threadOf(link), "Go on with the page", /Go on with the page/);
    expected.push("Go on with the page");
    await comeBack("Back from the page");

    const lines = (await said(machine, sessionId)).filter((line) => !line.startsWith("hermes: "));
    const questions = lines.filter((line) => line.startsWith("user: ")).map((line) => line.split("\n").at(-1));
    expect(questions.map((line) => line?.replace(/^user: /, ""))).toEqual(expected);
    // One answer to each question, and one to each of the handoffs.
    expect(lines.filter((line) => line.startsWith("assistant: "))).toHaveLength(expected.length + platforms.length + 1);
  } finally {
    await Promise.all(platforms.map(({ emulator }) => emulator.close()));
  }
});
