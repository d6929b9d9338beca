import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, PERSON } from "../emulator/index.ts";
import { type RunningDiscord, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord({ allowedUsers: [PERSON.id] });
});
afterEach(() => discord[Symbol.asyncDispose]());

/** Lets a person write, and returns what Hermes receives of it. */
async function write(text: string, more: Partial<Parameters<typeof discord.emulator.receive>[0]> = {}) {
  const before = discord.received.length;
  await discord.emulator.receive({ chatId: CHANNEL.general, text, ...more });
  const received = await discord.untilReceived(before + 1);
  const message = received[before];
  if (!message) throw new Error("nothing was received");
  return message;
}

/** Lets a message through that is certainly received, so that all before it were decided on. */
async function untilAllDecided() {
  await discord.emulator.receive({ chatId: CHANNEL.general, text: "the last one" });
  await discord.until(() => discord.received.some(({ text }) => text === "the last one"));
  return discord.received.filter(({ text }) => text !== "the last one");
}

describe("while Hermes is away", () => {
  it("nothing is lost that is written where it was before, in whatever kind of chat", async () => {
    const thread = { threadId: CHANNEL.standingThread };
    for (const [text, more] of [
      ["a", {}],
      ["b", { chatId: CHANNEL.dm }],
      ["c", thread],
    ] as const) {
      await write(text, more);
    }
    await discord.stop();
    for (const [text, more] of [
      ["d", {}],
      ["e", { chatId: CHANNEL.dm }],
      ["f", thread],
      ["g", thread],
    ] as const) {
      await discord.emulator.receive({ chatId: CHANNEL.general, text, ...more });
    }
    await discord.startAgain();
    const received = (await discord.untilReceived(7)).slice(3);
    expect(received.map(({ text }) => text).sort()).toEqual(["d", "e", "f", "g"]);
    const inThread = received.filter(({ conversation }) => conversation.threadId);
    expect(inThread.map(({ text }) => text)).toEqual(["f", "g"]);
  });

  it("nothing is lost either where it first heard something just before it was killed", async () => {
    await write("kept");
    let offered = 0;
    discord.onReceive = () => new Promise(() => offered++);
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "not kept" });
    await discord.until(() => offered === 1);
    await discord.kill();
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "while away" });
    discord.onReceive = async () => {};
    await discord.startAgain();
    const has = (sought: string) => discord.received.some(({ text }) => text === sought);
    await discord.until(() => has("not kept") && has("while away"));
  });

  it("a message whose thread cannot be looked up for a while is waited for", async () => {
    await write("before", { threadId: CHANNEL.standingThread });
    await discord.stop();
    await discord.emulator.receive({ chatId: CHANNEL.general, threadId: CHANNEL.standingThread, text: "patience" });
    discord.emulator.archiveThread(CHANNEL.standingThread);
    discord.emulator.fail({ operation: "GET /channels/:id", times: 8, kind: { is: "break" } });
    const tries = () => discord.logged.filter((line) => line.includes("it is tried again")).length;
    await discord.startAgain();
    for (let failures = 1; failures <= 8; failures++) {
      await discord.until(() => tries() === failures);
      await discord.clock.advance(30_000);
    }
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "patience" });
  });

  it("the adapter gives Hermes again what it had not kept", async () => {
    await write("before");
    discord.onReceive = () => Promise.reject(new Error("the store is busy"));
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "not kept" });
    await discord.until(() => discord.logged.some((line) => line.includes("the store is busy")));
    await discord.stop();
    discord.onReceive = async () => {};
    await discord.startAgain();
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "not kept" });
  });

  it("all of it is fetched, however much it is, before what is written from then on", async () => {
    await write("before");
    await discord.stop();
    const wanted = Array.from({ length: 620 }, (_, at) => `message ${at}`);
    for (const text of wanted) await discord.emulator.receive({ chatId: CHANNEL.general, text });
    discord.emulator.fail({ operation: "GET /channels/:id/messages", kind: { is: "break" } });
    const gate = Promise.withResolvers<void>();
    discord.onReceive = () => gate.promise;
    await discord.startAgain();
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "live" });
    gate.resolve();
    await discord.until(() => discord.logged.some((line) => line.includes("could not be read")));
    await discord.clock.advance(1_000);
    await discord.until(() => discord.received.some(({ text }) => text === "live"));
    const texts = discord.received.map(({ text }) => text);
    expect(texts.slice(0, texts.indexOf("live") + 1)).toEqual(["before", ...wanted, "live"]);
  });

  it("the adapter fetches what is written in a channel it had never heard of, too", async () => {
    await write("before");
    await discord.stop();
    await discord.emulator.receive({ chatId: CHANNEL.announcements, text: "new here", mentions: true });
    await discord.startAgain();
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "new here", isAddressed: true });
  });

  it("the adapter fetches the messages of threads begun meanwhile, archived or not", async () => {
    await write("before");
    await discord.stop();
    await discord.clock.advance(60_000);
    for (const [text, threadId, isArchived] of [
      ["open", CHANNEL.standingThread, false],
      ["private and archived", CHANNEL.privateThread, true],
    ] as const) {
      await discord.emulator.receive({ chatId: CHANNEL.general, threadId, text });
      if (isArchived) discord.emulator.archiveThread(threadId);
    }
    await discord.clock.advance(60_000);
    await discord.startAgain();
    const texts = (await discord.untilReceived(3)).map(({ text }) => text);
    expect(texts.toSorted()).toEqual(["before", "open", "private and archived"]);
  });

  it("the adapter fetches the home channel, though nobody had written there before", async () => {
    await discord.adapter.homeConversation({ chatId: CHANNEL.dm });
    await discord.stop();
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "first words" });
    await discord.startAgain();
    expect(await discord.untilReceived(1)).toMatchObject([{ text: "first words" }]);
  });

  it("old messages are not taken for new ones because one of them was edited before", async () => {
    await discord.stop();
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "old" });
    const { messageId } = await discord.emulator.receive({ chatId: CHANNEL.general, text: "older still" });
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "also old" });
    // On this folder nothing was ever received before.
    rmSync(join(discord.folder, "cursors.json"));
    await discord.clock.advance(1);
    await discord.startAgain();
    await write("edited", { editOf: messageId });
    await discord.stop();
    await discord.startAgain();
    expect((await untilAllDecided()).map(({ text }) => text)).toEqual(["edited"]);
  });

  it("asks for no history of channels where nothing was written in the last minute", async () => {
    await write("before");
    await discord.clock.advance(120_000);
    await discord.stop();
    await discord.startAgain();
    await untilAllDecided();
    const asked = discord.emulator.log.filter(({ method }) => method === "GET /channels/:id/messages");
    expect(asked).toEqual([]);
  });
});
