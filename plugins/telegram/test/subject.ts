import type { AdapterUnderTest } from "@hermes/testing";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "../emulator/index.ts";
import { telegram } from "../src/index.ts";
import { setup } from "../src/setup.ts";
import { documented } from "./recorded.ts";

export const subject: AdapterUnderTest<TelegramEmulator> = {
  name: "telegram",
  createEmulator: () => startTelegramEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    telegram({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  stranger: "2002",
  homes: (emulator) => [
    { name: "private chat with topics", home: { chatId: CHATS.private }, kind: "dm", threads: true },
    { name: "forum", home: { chatId: CHATS.forum }, kind: "group", threads: true },
    { name: "supergroup without topics", home: { chatId: CHATS.supergroup }, kind: "group", threads: false },
    { name: "plain group", home: { chatId: CHATS.group }, kind: "group", threads: false },
    {
      name: "topic of a forum",
      home: { chatId: CHATS.forum, threadId: emulator.openThread(CHATS.forum, "Hermes") },
      kind: "group",
      threads: false,
    },
  ],
  setup: { setup, state: ({ world: { webhook, commands } }) => ({ webhook, commands }) },
  capabilities: {
    threads: true,
    edits: { minIntervalMs: 1_000 },
    typing: true,
    choices: true,
    files: { largest: 50 * 1024 ** 2 },
    textLimit: { length: 4096, unit: "utf16" },
    idempotentSend: false,
    findThread: false,
    findSent: false,
    deleteThread: true,
    deleteMessage: true,
    lateRefusal: false,
    mirrors: false,
  },
  wrongToken: () => ({ token: "110201543:AAnobody-ever-had-this-token-0000000" }),
  judges: [documented],
  threadSwitches: [
    {
      name: "topics are off",
      turnOff: (emulator) => {
        emulator.world.hasTopicsInPrivate = false;
        emulator.setForum(CHATS.forum, false);
      },
      gives: "PLATFORM_FORBIDDEN",
    },
  ],
  // A group becomes a supergroup; all others have become what they can be.
  renumber: (emulator, chatId) => (chatId === CHATS.group ? emulator.upgradeGroup(chatId) : null),
  notClaimed: {
    "threads/none": "A group without topics can be given them, so the missing setting is named.",
  },
  refusals: [
    { operation: "send", code: "Unauthorized", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "chat not found", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "message thread not found", becomes: "PLATFORM_THREAD_GONE" },
    { operation: "send", code: "TOPIC_DELETED", becomes: "PLATFORM_THREAD_GONE" },
    { operation: "send", code: "TOPIC_CLOSED", becomes: "PLATFORM_THREAD_GONE" },
    { operation: "send", code: "message is too long", becomes: "PLATFORM_REJECTED" },
    {
      operation: "send",
      code: "not enough rights to send text messages to the chat",
      becomes: "PLATFORM_FORBIDDEN",
    },
    { operation: "send", code: "Forbidden: bot was blocked by the user", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "edit", code: "message to edit not found", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "message can't be edited", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "not enough rights to send text messages to the chat", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "createThread", code: "not enough rights to create a topic", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "home", code: "chat not found", becomes: "PLATFORM_NOT_FOUND" },
    {
      operation: "home",
      code: "Forbidden: bot was kicked from the supergroup chat",
      becomes: "PLATFORM_FORBIDDEN",
    },
  ],
};
