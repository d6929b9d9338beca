import { join } from "node:path";
import type { AdapterUnderTest } from "@hermes/testing";
import { BOT, type MatrixEmulator, ROOMS, startMatrixEmulator } from "../emulator/index.ts";
import { matrix } from "../src/index.ts";
import { setup } from "../src/setup.ts";
import { BotStore } from "../src/store/bot-store.ts";

const WITH_PASSWORD = { accessToken: undefined, user: BOT.userId, password: BOT.password };

export const subject: AdapterUnderTest<MatrixEmulator> = {
  name: "matrix",
  createEmulator: () => startMatrixEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    matrix({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  stranger: "@eve:emulated.test",
  homes: (emulator) => [
    { name: "direct chat", home: { chatId: ROOMS.direct }, kind: "dm", threads: true },
    { name: "room", home: { chatId: ROOMS.group }, kind: "group", threads: true },
    { name: "encrypted direct chat", home: { chatId: ROOMS.encryptedDirect }, kind: "dm", threads: true },
    { name: "encrypted room", home: { chatId: ROOMS.encrypted }, kind: "group", threads: true },
    {
      name: "thread of a room",
      home: { chatId: ROOMS.group, threadId: emulator.openThread(ROOMS.group, "Hermes") },
      kind: "group",
      threads: false,
    },
  ],
  setup: {
    setup,
    state: ({ server }) => [[...server.sessions], [...server.rooms.values()].map(({ entries }) => entries.length)],
  },
  capabilities: {
    threads: true,
    edits: { minIntervalMs: 3_000 },
    typing: true,
    files: { largest: 50 * 1024 ** 2 },
    textLimit: { length: 40_000, unit: "bytes" },
    idempotentSend: true,
    findThread: true,
    findSent: false,
    deleteThread: true,
    deleteMessage: true,
    lateRefusal: false,
    mirrors: false,
  },
  permitDeletion: (emulator, chatId) => emulator.makeModerator(chatId),
  wrongToken: () => ({ accessToken: "syt_a_token_that_nobody_ever_had" }),
  takeOver(emulator, { home }) {
    const signedIn = () => emulator.log.filter(({ method }) => method === "whoami").length;
    const before = signedIn();
    // As a gateway does that uses the keys which lie there. The other one sees it when it next keeps something.
    new BotStore(join(home, "plugins", "matrix")).close();
    emulator.setMayWrite(ROOMS.group, true);
    return () => signedIn() - before;
  },
  refusePlace: (emulator) => emulator.server.forgetPositions(),
  renewals: [
    { name: "its token has expired", options: () => WITH_PASSWORD, end: (emulator) => emulator.expireBotToken() },
    { name: "its session was ended", options: () => WITH_PASSWORD, end: (emulator) => emulator.signOutBot() },
    {
      name: "the config's token has expired",
      options: () => ({ user: BOT.userId, password: BOT.password }),
      end: (emulator) => emulator.expireBotToken(),
    },
  ],
  notClaimed: {
    "threads/none": "Any message of any room can begin a thread.",
  },
  threadSwitches: [
    {
      name: "the bot may not write in the room",
      turnOff: (emulator) => {
        for (const roomId of Object.values(ROOMS)) emulator.setMayWrite(roomId, false);
      },
      gives: "PLATFORM_FORBIDDEN",
    },
  ],
  refusals: [
    { operation: "send", code: "M_UNKNOWN_TOKEN", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "M_USER_DEACTIVATED", becomes: "PLATFORM_UNAUTHORISED" },
    { operation: "send", code: "M_FORBIDDEN: You don't have permission", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "M_TOO_LARGE", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "M_BAD_JSON: Content not JSON", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "M_UNKNOWN: Can't send relation to unknown event", becomes: "PLATFORM_THREAD_GONE" },
    { operation: "send", code: "M_LIMIT_EXCEEDED", becomes: "PLATFORM_RATE_LIMITED" },
    { operation: "edit", code: "M_FORBIDDEN: You don't have permission", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "createThread", code: "M_FORBIDDEN: You don't have permission", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "home", code: "M_UNKNOWN_TOKEN", becomes: "PLATFORM_UNAUTHORISED" },
  ],
};
