import type { AdapterUnderTest } from "@hermes/testing";
import { CHATS, PEOPLE, type SignalEmulator, startSignalEmulator } from "../emulator/index.ts";
import { signal } from "../src/index.ts";
import { setup } from "../src/setup.ts";

export const subject: AdapterUnderTest<SignalEmulator> = {
  name: "signal",
  createEmulator: ({ account }) => startSignalEmulator({ account }),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    signal({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  homes: () => [
    {
      name: "private chat, by number",
      home: { chatId: PEOPLE.ada.number },
      kind: "dm",
      threads: false,
      place: { chatId: CHATS.ada },
    },
    { name: "group", home: { chatId: CHATS.group }, kind: "group", threads: false },
    { name: "notes to oneself", home: { chatId: CHATS.noteToSelf }, kind: "dm", threads: false },
  ],
  stranger: CHATS.grace,
  passOn(emulator) {
    emulator.passNumber(CHATS.ada, { to: CHATS.grace, next: "+4915559999999" });
    return { stays: PEOPLE.ada.uuid, other: { chatId: CHATS.grace } };
  },
  setup: { setup },
  capabilities: {
    threads: false,
    edits: { minIntervalMs: 5_000 },
    typing: true,
    files: { largest: 14_990_000 },
    textLimit: { length: 2000, unit: "bytes" },
    idempotentSend: false,
    findThread: false,
    findSent: false,
    deleteThread: false,
    lateRefusal: false,
    mirrors: false,
  },
  refusals: [
    { operation: "send", code: "UNREGISTERED_FAILURE", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "IDENTITY_FAILURE", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "RATE_LIMIT_FAILURE", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "send", code: "PROOF_REQUIRED_FAILURE", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "NETWORK_FAILURE", becomes: "PLATFORM_UNCERTAIN" },
    { operation: "send", code: "INVALID_PRE_KEY_FAILURE", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "GROUP_NOT_FOUND", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "NOT_A_GROUP_MEMBER", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "SENDING_NOT_ALLOWED", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "UNAUTHORIZED", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "TOO_MANY_REQUESTS", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "send", code: "IO_ERROR", becomes: "PLATFORM_UNCERTAIN" },
    { operation: "send", code: "ATTACHMENT_INVALID", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "CONTENT_TOO_LARGE", becomes: "PLATFORM_REJECTED" },
    { operation: "edit", code: "UNREGISTERED_FAILURE", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "home", code: "METHOD_NOT_FOUND", becomes: "PLATFORM_REJECTED" },
  ],
};
