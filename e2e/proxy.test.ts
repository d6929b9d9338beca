import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, EmulatorOptions } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { startEmulator as startWhatsAppEmulator } from "@hermes/plugin-whatsapp/emulator";
import { startProxyServer } from "@hermes/testing/proxy-server";
import { expect, it } from "vitest";
import { machineWith, startModel } from "./support/model.ts";

const PLATFORMS: Record<string, (options: EmulatorOptions) => Promise<Emulator>> = {
  telegram: startTelegramEmulator,
  discord: startDiscordEmulator,
  slack: startSlackEmulator,
  signal: startSignalEmulator,
  matrix: startMatrixEmulator,
  whatsapp: startWhatsAppEmulator,
};

const PASSWORD = "pr0xy-passw0rd";

it.each(Object.entries(PLATFORMS))(
  "%s and the model are reached through the proxy of a .env alone",
  async (name, start) => {
    await using proxy = await startProxyServer({ credentials: `ann:${PASSWORD}` });
    await using model = await startModel();
    const host = `${name}.test`;
    const emulator = await start({ host });
    const chat = emulator.chats.find(({ kind }) => kind === "dm");
    if (chat === undefined) throw new Error("the emulator has no private chat");
    const plugin = { ...emulator.options, homeChannel: { chatId: chat.id, shared: true }, allowedUsers: ["*"] };
    const { port } = new URL(model.url);
    await using machine = machineWith(
      model,
      { plugins: [[`@hermes/plugin-${name}`, plugin]] },
      { OPENAI_BASE_URL: model.url.replace("127.0.0.1", "model.test") },
    );
    const address = `http://ann:${PASSWORD}@127.0.0.1:${proxy.port}`;
    writeFileSync(join(machine.folder, ".env"), `HTTP_PROXY=${address}\nHTTPS_PROXY=${address}\n`, { mode: 0o600 });
    try {
      const gateway = await machine.startGateway();
      await emulator.receive({ chatId: chat.id, text: "Through the wall" });
      const isAnswered = (thread?: string) =>
        emulator.messages(chat.id, thread).some(({ text }) => /^Answer to: .*Through the wall/s.test(text));
      await machine.until(
        () => isAnswered() || emulator.threads(chat.id).some(({ id }) => isAnswered(id)),
        `the answer on ${name}`,
      );
      const ownPort = new URL(emulator.url).port;
      expect(new Set(proxy.asked)).toEqual(new Set([`${host}:${ownPort}`, `model.test:${port}`]));
      const log = readFileSync(join(machine.home, "logs", "hermes.log"), "utf8");
      expect(log + gateway.stdout + gateway.stderr).not.toContain(PASSWORD);
    } finally {
      await emulator.close();
    }
  },
);
