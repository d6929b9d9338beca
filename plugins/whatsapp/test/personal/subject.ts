import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AdapterUnderTest } from "@hermes/testing";
import { PERSONAL_CHATS, startWhatsAppPersonalEmulator, type WhatsAppPersonalEmulator } from "../../emulator/index.ts";
import { whatsapp } from "../../src/index.ts";
import { setup } from "../../src/setup.ts";
import { link } from "../running-personal.ts";

/** Where Hermes keeps the plugin's things for an account. */
function folderIn(home: string, account: string | undefined): string {
  const name = account === undefined ? "whatsapp" : `whatsapp@${encodeURIComponent(account)}`;
  const folder = join(home, "plugins", name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export const personal: AdapterUnderTest<WhatsAppPersonalEmulator> = {
  name: "whatsapp",
  async createEmulator({ home, account }) {
    const emulator = await startWhatsAppPersonalEmulator();
    await link(emulator, folderIn(home, account));
    return emulator;
  },
  descriptor: (emulator, options) => whatsapp({ ...emulator.options, ...options } as Parameters<typeof whatsapp>[0]),
  homes: () => [
    { name: "direct chat", home: { chatId: PERSONAL_CHATS.ada }, kind: "dm", threads: false },
    { name: "group", home: { chatId: PERSONAL_CHATS.group }, kind: "group", threads: false },
  ],
  stranger: PERSONAL_CHATS.bob,
  passOn(emulator) {
    emulator.passNumber(PERSONAL_CHATS.ada, { to: PERSONAL_CHATS.bob, next: "491709999999" });
    return { stays: emulator.hiddenIdOf(PERSONAL_CHATS.ada), other: { chatId: PERSONAL_CHATS.bob } };
  },
  takeOver(emulator) {
    const logins = () => emulator.log.filter(({ method }) => method === "iq passive set active").length;
    const before = logins();
    emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    return () => logins() - before;
  },
  readReceipts: {
    options: { readReceipts: true },
    marked: ({ log }) =>
      log.flatMap(({ method, body }) => (method === "receipt read" ? [String(Object(body).id)] : [])),
  },
  setup: {
    setup: { ...setup, ways: setup.ways.filter(({ name }) => name === "personal") },
    state: ({ server }) => server.sessions.length,
  },
  capabilities: {
    threads: false,
    edits: { minIntervalMs: 2_000 },
    typing: true,
    files: { largest: 100 * 1024 ** 2 },
    textLimit: { length: 4096, unit: "utf16" },
    idempotentSend: true,
    findThread: false,
    findSent: false,
    deleteThread: false,
    choices: false,
    lateRefusal: false,
    mirrors: false,
  },
  refusals: [
    { operation: "send", code: "401", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "403", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "404", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "429", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "send", code: "463", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "479", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "500", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "edit", code: "479", becomes: "PLATFORM_REJECTED" },
    { operation: "home", code: "429", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "home", code: "500", becomes: "PLATFORM_UNAVAILABLE" },
  ],
};
