import type { AdapterUnderTest } from "@hermes/testing";
import { type BlueBubblesEmulator, CHATS, PEOPLE, startBlueBubblesEmulator } from "../emulator/index.ts";
import { imessage } from "../src/index.ts";
import { setup } from "../src/setup.ts";
import { documented, socketIo, withoutHelper } from "./recorded.ts";

export const subject: AdapterUnderTest<BlueBubblesEmulator> = {
  name: "imessage",
  createEmulator: () => startBlueBubblesEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    imessage({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  homes: () => [
    {
      name: "private chat, by number",
      home: { chatId: PEOPLE.ada },
      kind: "dm",
      threads: false,
      place: { chatId: CHATS.ada },
    },
    {
      name: "group",
      home: { chatId: "chat100000000000000001" },
      kind: "group",
      threads: false,
      place: { chatId: CHATS.group },
    },
    {
      name: "chat with oneself",
      home: { chatId: PEOPLE.self },
      kind: "dm",
      threads: false,
      place: { chatId: CHATS.self },
    },
  ],
  stranger: PEOPLE.grace,
  setup: { setup },
  capabilities: {
    threads: false,
    edits: { minIntervalMs: 5_000, forMs: 14 * 60_000 },
    typing: true,
    files: { largest: 100_000_000 },
    textLimit: { length: 4_000, unit: "utf16" },
    idempotentSend: false,
    findThread: false,
    findSent: true,
    deleteThread: false,
    choices: true,
    lateRefusal: true,
    mirrors: false,
  },
  refuseLate: (emulator) => emulator.refuseLate(),
  renumber(emulator, chatId) {
    emulator.upgradeMac();
    return chatId.replace(/^[^;]+/, "any");
  },
  judges: [documented, withoutHelper, socketIo],
  notClaimed: { "files/caption": "The server sends a file and its words as two messages" },
  refusals: [
    { operation: "send", code: "ERROR_22", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "ERROR_4", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "send", code: "NO_SUCH_CHAT", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "NOT_PERMITTED", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "PRIVATE_API_OFF", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "SIGNED_OUT", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "send", code: "UNAUTHORIZED", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "BAD_REQUEST", becomes: "PLATFORM_REJECTED" },
    { operation: "edit", code: "PRIVATE_API_OFF", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "edit", code: "NOT_FOUND", becomes: "PLATFORM_NOT_FOUND" },
  ],
};
