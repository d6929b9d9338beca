import type { AdapterUnderTest } from "@hermes/testing";
import { CLOUD_CHATS, startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "../../emulator/index.ts";
import { whatsapp } from "../../src/index.ts";
import { setup } from "../../src/setup.ts";
import { identityProofs } from "../identity-proofs.ts";

export const cloud: AdapterUnderTest<WhatsAppCloudEmulator> = {
  name: "whatsapp",
  createEmulator: () => startWhatsAppCloudEmulator(),
  descriptor: (emulator, options) => whatsapp({ ...emulator.options, ...options } as Parameters<typeof whatsapp>[0]),
  homes: () => [{ name: "direct chat", home: { chatId: CLOUD_CHATS.ada }, kind: "dm", threads: false }],
  stranger: CLOUD_CHATS.bob,
  setup: { setup, state: ({ world: { app, commands } }) => ({ app, commands }) },
  capabilities: {
    threads: false,
    edits: false,
    typing: false,
    files: { largest: 100 * 1024 ** 2 },
    textLimit: { length: 4096, unit: "utf16" },
    idempotentSend: false,
    findThread: false,
    findSent: false,
    deleteThread: false,
    choices: true,
    lateRefusal: true,
    mirrors: false,
  },
  wrongToken: () => ({ accessToken: "EAAnobody-ever-had-this-token" }),
  refuseLate: (emulator) => emulator.refuseLate(131047),
  refusals: [
    { operation: "send", code: "190", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "10", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "131030", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "131047", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "131031", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "131042", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "133010", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "131026", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "33", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "100", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "131009", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "131051", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "130429", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "send", code: "131056", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "send", code: "131000", becomes: "PLATFORM_UNCERTAIN" },
    { operation: "send", code: "131016", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "send", code: "131016", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "home", code: "190", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "home", code: "10", becomes: "PLATFORM_FORBIDDEN" },
  ],
  passOn(emulator) {
    emulator.passNumber(CLOUD_CHATS.ada, { to: CLOUD_CHATS.bob, next: "491709999999" });
    return { stays: emulator.world.person(CLOUD_CHATS.ada).userId, other: { chatId: CLOUD_CHATS.bob } };
  },
  readReceipts: {
    options: { readReceipts: true },
    marked: ({ log }) =>
      log.flatMap(({ body }) => (Object(body).status === "read" ? [String(Object(body).message_id)] : [])),
  },
  extras: identityProofs,
  notClaimed: {
    "files/bytes": "Meta takes a list of types; the plugin's own tests show that those arrive byte for byte.",
    "errors/home": "Meta tells of no number whether it is on WhatsApp; the first message shows it.",
  },
};
