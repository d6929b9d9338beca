import { type AdapterProof, type AdapterUnderTest, gate } from "@hermes/testing";
import { BOT, CHANNEL, type DiscordEmulator, startDiscordEmulator } from "../emulator/index.ts";
import { discord } from "../src/index.ts";
import { setup } from "../src/setup.ts";

const CHANNELS = [CHANNEL.general, CHANNEL.announcements];
const FORUMS = [CHANNEL.forum, CHANNEL.media, CHANNEL.taggedForum];

const archived: AdapterProof = {
  id: "sending/archived",
  rule: "Guarantee: a growing answer is completed by its last edit",
  proof: "an answer whose thread is archived while it grows is said whole in that thread, which comes back by it",
  run: ({ inEachHome }) =>
    inEachHome(
      async (on) => {
        const emulator = on.emulator as DiscordEmulator;
        await on.gateway();
        const held = gate();
        on.model.push([{ say: "Half" }, { hold: held }, { say: " and whole." }]);
        await on.write("Say it.");
        await on.until("the beginning is shown", () => on.countSaid("Half") === 1);
        await on.quiet();
        emulator.archiveThread(on.homePlace.threadId ?? "");
        held.open();
        await on.until("the whole answer is said", () => on.countSaid("Half and whole.") === 1);
      },
      { fitting: ({ home }) => home.threadId !== undefined },
    ),
};

export const subject: AdapterUnderTest<DiscordEmulator> = {
  name: "discord",
  createEmulator: () => startDiscordEmulator(),
  descriptor: (emulator, options) =>
    discord({ ...emulator.options, ...options } as object as Parameters<typeof discord>[0]),
  homes: () => [
    { name: "direct message", home: { chatId: CHANNEL.dm }, kind: "dm", threads: false },
    { name: "text channel", home: { chatId: CHANNEL.general }, kind: "group", threads: true },
    { name: "announcement channel", home: { chatId: CHANNEL.announcements }, kind: "group", threads: true },
    { name: "forum", home: { chatId: CHANNEL.forum }, kind: "group", threads: true, canHoldMessages: false },
    { name: "media channel", home: { chatId: CHANNEL.media }, kind: "group", threads: true, canHoldMessages: false },
    {
      name: "forum whose posts need a tag",
      home: { chatId: CHANNEL.taggedForum, tag: "questions" },
      kind: "group",
      threads: true,
      canHoldMessages: false,
    },
    {
      name: "thread",
      home: { chatId: CHANNEL.general, threadId: CHANNEL.standingThread },
      kind: "group",
      threads: false,
    },
    {
      name: "private thread, by its own id",
      home: { chatId: CHANNEL.privateThread },
      kind: "group",
      threads: false,
      isPrivate: true,
      place: { chatId: CHANNEL.general, threadId: CHANNEL.privateThread },
    },
  ],
  extras: [archived],
  stranger: "300000000000000099",
  otherBot: "300000000000000098",
  setup: { setup, state: ({ commands }) => commands },
  capabilities: {
    threads: true,
    edits: { minIntervalMs: 1_500 },
    typing: true,
    choices: true,
    files: { largest: 20 * 1024 ** 2 },
    idempotentSend: true,
    findThread: true,
    findSent: true,
    deleteThread: true,
  },
  wrongToken: () => ({ token: `${BOT.id}.wrong.token-0123456789` }),
  refusals: [
    { operation: "send", code: "50013", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "50001", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "10003", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "send", code: "50007", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "send", code: "40005", becomes: "PLATFORM_REJECTED" },
    { operation: "send", code: "400001", becomes: "PLATFORM_REJECTED" },
    { operation: "edit", code: "10008", becomes: "PLATFORM_NOT_FOUND" },
    { operation: "edit", code: "50083", becomes: "PLATFORM_FORBIDDEN" },
    { operation: "createThread", code: "160006", becomes: "PLATFORM_REJECTED" },
    { operation: "createThread", code: "160007", becomes: "PLATFORM_REJECTED" },
    { operation: "createThread", code: "40067", becomes: "PLATFORM_REJECTED" },
    { operation: "home", code: "10003", becomes: "PLATFORM_NOT_FOUND" },
  ],
  threadSwitches: [
    {
      name: "the right to open threads is missing",
      turnOff: (emulator) => {
        for (const id of CHANNELS) emulator.deny(id, "CreatePublicThreads");
        for (const id of FORUMS) emulator.deny(id, "SendMessages");
      },
      gives: "PLATFORM_FORBIDDEN",
    },
    {
      name: "the right Send Messages in Threads is missing",
      turnOff: (emulator) => {
        for (const id of [...CHANNELS, ...FORUMS]) emulator.deny(id, "SendMessagesInThreads");
      },
      gives: "PLATFORM_FORBIDDEN",
    },
  ],
};
