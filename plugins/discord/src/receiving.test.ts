import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOT, CHANNEL, PERSON } from "./emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, startDiscord } from "./testing/running-discord.ts";

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

describe("what a person writes", () => {
  it("comes with who and where", async () => {
    expect(await write("Hello.", { chatId: CHANNEL.dm })).toMatchObject({
      conversation: IN_DM,
      sender: { id: PERSON.id, name: "Ada", isBot: false },
      text: "Hello.",
      isAddressed: false,
    });
    expect(await write("Hello.")).toMatchObject({ conversation: IN_GENERAL, chatName: "#general" });
  });

  it("is addressed to the bot when it mentions it, also by its role, or answers it, or is a command of its", async () => {
    expect(await write("what now?", { mentions: true })).toMatchObject({ text: "what now?", isAddressed: true });
    const { messageId } = await discord.send(IN_GENERAL, "Hello.", "k");
    expect(await write("thanks", { replyTo: messageId })).toMatchObject({ isAddressed: true });
    const other = await discord.emulator.receive({ chatId: CHANNEL.general, text: "I, too", userId: "42" });
    expect(await write("thanks", { replyTo: other.messageId })).toMatchObject({ text: "I, too" });
    expect(discord.received.at(-1)?.isAddressed ?? false).toBe(false);
    expect(await write("/etc/passwd is a file")).toMatchObject({ isAddressed: false });
  });

  it("has names where Discord writes ids", async () => {
    const text = `ask <@${BOT.id}> in <#${CHANNEL.forum}> about <:party:123456789012345678> at <t:0:f> with </status:1>`;
    expect((await write(text)).text).toBe(
      "ask @Hermes in #forum about :party: at 1970-01-01T00:00:00.000Z with /status",
    );
  });

  it("comes with what is in its text files, and with the names of the others", async () => {
    const files = [
      { name: "a.ts", mediaType: "video/mp2t", content: "const a = 1;" },
      { name: "b.py", mediaType: "application/octet-stream", content: "b = 2" },
      { name: "c.png", mediaType: "image/png", content: "PNG" },
      { name: "d.log", mediaType: "text/plain", content: "x".repeat(256 * 1024 + 1) },
    ];
    const { attachments } = await write("", { files });
    expect(attachments?.map(({ name, text }) => [name, text])).toEqual([
      ["a.ts", "const a = 1;"],
      ["b.py", "b = 2"],
      ["c.png", undefined],
      ["d.log", undefined],
    ]);
  });

  it("comes without the content of a stranger's files: they are not fetched", async () => {
    const files = [{ name: "b.py", mediaType: "text/x-python", content: "b = 2" }];
    const { attachments } = await write("", { files, userId: "44" });
    expect(attachments).toEqual([{ name: "b.py", mediaType: "text/x-python", size: 5 }]);
  });

  it("is told again, as an edit, when it was changed", async () => {
    const { messageId } = await write("Helo.");
    expect(await write("Hello.", { editOf: messageId })).toMatchObject({ messageId, text: "Hello.", isEdit: true });
  });

  it("is taken in the order in which it was written, one after the other", async () => {
    const firstIsKept = Promise.withResolvers<void>();
    discord.onReceive = ({ text }) => (text === "one" ? firstIsKept.promise : Promise.resolve());
    for (const text of ["one", "two", "three"]) await discord.emulator.receive({ chatId: CHANNEL.general, text });
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "elsewhere" });
    await discord.untilReceived(1);
    firstIsKept.resolve();
    const texts = (await discord.untilReceived(4)).map(({ text }) => text);
    expect(texts).toEqual(["elsewhere", "one", "two", "three"]);
  });
});

describe("no turn is started by", () => {
  it("the bot's own words, by its user or by a webhook of its application", async () => {
    await discord.send(IN_GENERAL, "Mine.", "k");
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "Mine, too.", isOwn: true });
    expect(await untilAllDecided()).toEqual([]);
  });

  it("another bot, unless Hermes is told to answer it: it is marked as one", async () => {
    expect((await write("beep", { isBot: true, userId: "43" })).sender).toMatchObject({ id: "43", isBot: true });
  });

  it("Discord's own lines, such as the one that a thread began", async () => {
    const options = { home: { chatId: CHANNEL.general }, mark: "m", signal: new AbortController().signal };
    await discord.adapter.createHandoffThread(CHANNEL.general, "x", options);
    expect(await untilAllDecided()).toEqual([]);
  });
});

describe("a connection that is lost", () => {
  it("loses no message: what was written meanwhile comes when it is resumed, once", async () => {
    await write("before");
    discord.emulator.fail({ operation: "deliver", kind: { is: "disconnect" } });
    expect(await write("meanwhile")).toMatchObject({ text: "meanwhile" });
    expect((await untilAllDecided()).map(({ text }) => text)).toEqual(["before", "meanwhile"]);
    await discord.until(() => discord.adapter.health().state === "up");
  });

  it("loses none in a thread that was archived before it could be resumed", { timeout: 15_000 }, async () => {
    const thread = { threadId: CHANNEL.standingThread };
    await write("before", thread);
    discord.emulator.forgetSessions();
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "meanwhile", ...thread });
    discord.emulator.archiveThread(CHANNEL.standingThread);
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "meanwhile" });
  });

  // discord.js lets five seconds pass between two times that it identifies itself.
  it("loses none either when Discord does not let it be resumed", { timeout: 15_000 }, async () => {
    await write("before");
    discord.emulator.forgetSessions();
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    expect(await write("meanwhile")).toMatchObject({ text: "meanwhile" });
  });

  it("gives the same message under the same id when Discord sends it twice", async () => {
    discord.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "once" });
    const [first, second] = await discord.untilReceived(2);
    expect(first?.messageId).toBe(second?.messageId);
  });

  it("is said while it is so", async () => {
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await discord.until(() => discord.adapter.health().state === "degraded");
    expect(discord.adapter.health().detail).toMatch(/^Not receiving/);
    await discord.until(() => discord.adapter.health().state === "up");
  });

  it("is made anew when Discord asks for it", async () => {
    discord.emulator.askToReconnect();
    await discord.until(() => discord.adapter.health().state === "degraded");
    await discord.until(() => discord.adapter.health().state === "up");
    expect(await write("still there?")).toMatchObject({ text: "still there?" });
  });
});

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

  it("what it had not kept is given to it again", async () => {
    await write("before");
    discord.onReceive = () => Promise.reject(new Error("the store is busy"));
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "not kept" });
    await discord.until(() => discord.logged.some((line) => line.includes("the store is busy")));
    await discord.stop();
    discord.onReceive = async () => {};
    await discord.startAgain();
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "not kept" });
  });

  it("all of it is fetched, however much it is, before what is written from then on", {
    timeout: 20_000,
  }, async () => {
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

  it("what is written in a channel that it had never heard of is fetched, too", async () => {
    await write("before");
    await discord.stop();
    await discord.emulator.receive({ chatId: CHANNEL.announcements, text: "new here", mentions: true });
    await discord.startAgain();
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "new here", isAddressed: true });
  });

  it("what is written in threads that began meanwhile is fetched, archived or not", async () => {
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

  it("what is written in the home channel is fetched, though nobody had written before", async () => {
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

it("offers a message again that Hermes could not keep", async () => {
  let failures = 2;
  discord.onReceive = async () => {
    if (failures-- > 0) throw new Error("the store is busy");
  };
  await discord.emulator.receive({ chatId: CHANNEL.general, text: "patience" });
  await discord.until(() => failures === 1);
  await discord.clock.advance(1_000);
  await discord.until(() => failures === 0);
  await discord.clock.advance(2_000);
  expect((await discord.untilReceived(1))[0]).toMatchObject({ text: "patience" });
});
