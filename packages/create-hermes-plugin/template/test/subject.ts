import type { AdapterUnderTest } from "@hermes/testing";
import { type AcmeEmulator, CHATS, startEmulator } from "../emulator/index.ts";
import { acme } from "../src/index.ts";

/** What the kit has to know of Acme. `npm test` and `hermes prove` run it. */
export const subject: AdapterUnderTest<AcmeEmulator> = {
  name: "acme",
  // Where the kit's sentences send you to write what is not claimed yet.
  files: {
    adapter: "src/adapter.ts",
    render: "src/format.ts",
    send: "src/outbound.ts",
    decode: "src/inbound.ts",
    receive: "src/receive.ts",
    emulator: "emulator/acme-emulator.ts",
    subject: "test/subject.ts",
  },
  createEmulator: () => startEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    acme({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  stranger: "u-grace",
  // One home channel for each kind of chat that can be one.
  homes: () => [
    { name: "direct message", home: { chatId: CHATS.private }, kind: "dm", threads: false },
    { name: "room without threads", home: { chatId: CHATS.lobby }, kind: "group", threads: false },
    // #if threads
    { name: "room with threads", home: { chatId: CHATS.team }, kind: "group", threads: true },
    { name: "thread", home: { chatId: CHATS.team, threadId: "t-plans" }, kind: "group", threads: false },
    // #end
  ],
  // What the README promises. A claim that is missing here is found, too.
  capabilities: {
    // #if threads
    threads: true,
    deleteThread: true,
    // #end
    // #if edits
    edits: { minIntervalMs: 1_000 },
    // #end
    textLimit: { length: 2000, unit: "utf16" },
  },
  // Acme's own codes, and what each has to become.
  refusals: [
    { operation: "send", code: "unknown_token", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "not_allowed", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "unknown_chat", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "too_long", becomes: "PLATFORM_REJECTED" },
    { operation: "home", code: "unknown_chat", becomes: "PLATFORM_NOT_FOUND" },
    // #if edits
    { operation: "edit", code: "unknown_message", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "too_old", becomes: "PLATFORM_REJECTED" },
    // #end
    // #if threads
    { operation: "send", code: "unknown_thread", becomes: "PLATFORM_THREAD_GONE" },
    { operation: "createThread", code: "not_allowed", becomes: "PLATFORM_FORBIDDEN" },
    // #end
  ],
};
