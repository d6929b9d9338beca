import type { AdapterUnderTest } from "@hermes/testing";
import { web } from "../src/index.ts";
import { setup } from "../src/setup.ts";
import { WebEmulator } from "./web-emulator.ts";

const KEPT = "thr_kept";

export const subject: AdapterUnderTest<WebEmulator> = {
  name: "web",
  async createEmulator({ home, account }) {
    const emulator = new WebEmulator(home, account);
    emulator.keepThread(KEPT);
    return emulator;
  },
  descriptor: ({ options }, { homeChannel = { chatId: "home" }, allowedUsers = [], ...rest }) =>
    web({ ...options, homeChannel, allowedUsers: [...allowedUsers], ...rest }),
  homes: () => [
    { name: "the page", home: { chatId: "home", name: "Home" }, kind: "dm", threads: true },
    { name: "a thread of the page", home: { chatId: "home", threadId: KEPT }, kind: "dm", threads: false },
  ],
  setup: { setup },
  capabilities: {
    choices: true,
    threads: true,
    typing: true,
    idempotentSend: true,
    mirrors: true,
    files: { largest: 25 * 1024 ** 2 },
    lateRefusal: false,
    deleteMessage: true,
    showCalls: true,
  },
  notClaimed: {
    "choices/stranger": "Whoever is signed in is the operator; nobody else can press.",
    "references/stranger": "Whoever is signed in is the operator; nobody else can write.",
    "home/thread": "The page has its home channel by itself, and /sethome says so.",
    "attachments/unread": "Whoever is signed in is the operator; nobody else can write.",
    "senders/strangers": "Whoever is signed in is the operator; nobody else can write.",
  },
};
