import type { AdapterUnderTest } from "@hermes/testing";
import { type SlackEmulator, startSlackEmulator } from "../emulator/index.ts";
import { slack } from "../src/index.ts";
import { setup } from "../src/setup.ts";

export const subject: AdapterUnderTest<SlackEmulator> = {
  name: "slack",
  notClaimed: {
    "references/replied":
      "Slack has no replies but threads, which are places of their own; what is shared is a forward.",
    "references/stranger":
      "Slack has no replies but threads; a test of core marks what a stranger wrote and somebody shares.",
  },
  createEmulator: () => startSlackEmulator({ ackWithinMs: 200 }),
  descriptor: (emulator, options) => slack({ ...emulator.options, ...options } as Parameters<typeof slack>[0]),
  stranger: "U0EVE",
  homes: (emulator) => [
    { name: "direct message", home: { chatId: "D0ADA" }, kind: "dm", threads: true },
    { name: "channel", home: { chatId: "C0TEAM" }, kind: "group", threads: true },
    { name: "private channel", home: { chatId: "C0PRIVATE" }, kind: "group", threads: true },
    {
      name: "thread of a channel",
      home: { chatId: "C0TEAM", threadId: emulator.openThread("C0TEAM", "Hermes") },
      kind: "group",
      threads: false,
    },
  ],
  setup: { setup },
  capabilities: {
    threads: true,
    edits: { minIntervalMs: 1_500 },
    typing: true,
    files: { largest: 1_000_000_000 },
    textLimit: { length: 8_000, unit: "utf16" },
    idempotentSend: false,
    findThread: true,
    findSent: true,
    deleteThread: true,
    choices: true,
    lateRefusal: false,
    mirrors: false,
  },
  wrongToken: () => ({ botToken: "xoxb-nobody-ever-had-this", appToken: "xapp-nobody-ever-had-this" }),
  threadSwitches: [
    {
      name: "the app lacks chat:write",
      turnOff: (emulator) => void emulator.workspace.scopes.delete("chat:write"),
      gives: "PLATFORM_FORBIDDEN",
    },
  ],
  refusals: [
    { operation: "send", code: "invalid_auth", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "token_revoked", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "channel_not_found", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "not_in_channel", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "is_archived", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "restricted_action", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "missing_scope", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "msg_too_long", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "service_unavailable", becomes: "PLATFORM_UNAVAILABLE" },
    { operation: "send", code: "message_limit_exceeded", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "edit", code: "message_not_found", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "cant_update_message", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "edit_window_closed", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "createThread", code: "not_in_channel", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "createThread", code: "restricted_action_read_only_channel", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "home", code: "channel_not_found", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "home", code: "missing_scope", becomes: "PLATFORM_FORBIDDEN" },
  ],
};
