import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOT, CHANNEL, PERSON } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, startDiscord } from "./running-discord.ts";

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

  it("a message addresses the bot by a mention, its role, a reply or a command", async () => {
    expect(await write("what now?", { mentions: true })).toMatchObject({ text: "what now?", isAddressed: true });
    const { messageId } = await discord.send(IN_GENERAL, "Hello.", "k");
    expect(await write("thanks", { replyTo: messageId })).toMatchObject({ isAddressed: true });
    const other = await discord.emulator.receive({ chatId: CHANNEL.general, text: "I, too", userId: "42" });
    expect(await write("thanks", { replyTo: other.messageId })).toMatchObject({ text: "I, too" });
    expect(discord.received.at(-1)?.isAddressed ?? false).toBe(false);
    expect(await write("/etc/passwd is a file")).toMatchObject({ isAddressed: false });
  });

  it("ids of people, channels, emoji and commands become names", async () => {
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

  it("a changed message arrives as an edit with the same id", async () => {
    const { messageId } = await write("Helo.");
    expect(await write("Hello.", { editOf: messageId })).toMatchObject({ messageId, text: "Hello.", isEdit: true });
  });

  it("messages are handled in the order in which they were written", async () => {
    const firstIsKept = Promise.withResolvers<void>();
    discord.onReceive = ({ text }) => (text === "one" ? firstIsKept.promise : Promise.resolve());
    for (const text of ["one", "two", "three"]) await discord.emulator.receive({ chatId: CHANNEL.general, text });
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "elsewhere" });
    await discord.untilReceived(2);
    firstIsKept.resolve();
    const texts = (await discord.untilReceived(4)).map(({ text }) => text);
    expect(texts).toEqual(["one", "elsewhere", "two", "three"]);
  });
});

describe("no turn is started by", () => {
  it("the bot's own words start no turn, by its user or by its application's webhook", async () => {
    await discord.send(IN_GENERAL, "Mine.", "k");
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "Mine, too.", isOwn: true });
    expect(await untilAllDecided()).toEqual([]);
  });

  it("another bot starts no turn unless Hermes is told to answer it, marked as one", async () => {
    expect((await write("beep", { isBot: true, userId: "43" })).sender).toMatchObject({ id: "43", isBot: true });
  });

  it("Discord's own lines, such as a thread's beginning, start no turn", async () => {
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

  it("loses none in a thread that was archived before it could be resumed", async () => {
    const thread = { threadId: CHANNEL.standingThread };
    await write("before", thread);
    discord.emulator.gateway.forgetSessions();
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "meanwhile", ...thread });
    discord.emulator.archiveThread(CHANNEL.standingThread);
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    expect((await discord.untilReceived(2))[1]).toMatchObject({ text: "meanwhile" });
  });

  // discord.js lets five seconds pass between two times that it identifies itself.
  it("loses none either when Discord does not let it be resumed", async () => {
    await write("before");
    discord.emulator.gateway.forgetSessions();
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    expect(await write("meanwhile")).toMatchObject({ text: "meanwhile" });
  });

  it("a message that Discord delivers twice has the same id", async () => {
    discord.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "once" });
    const [first, second] = await discord.untilReceived(2);
    expect(first?.messageId).toBe(second?.messageId);
  });

  it("loses nothing when several events come late", async () => {
    discord.emulator.fail({ operation: "deliver", times: 2, kind: { is: "out-of-order" } });
    for (const text of ["a", "b", "c"]) await discord.emulator.receive({ chatId: CHANNEL.general, text });
    expect((await discord.untilReceived(3)).map(({ text }) => text)).toEqual(["c", "a", "b"]);
  });

  it("the health reports a lost connection until it is back", async () => {
    discord.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await discord.until(() => discord.adapter.health().state === "degraded");
    expect(discord.adapter.health().detail).toMatch(/^Not receiving/);
    await discord.until(() => discord.adapter.health().state === "up");
  });

  it("the adapter reconnects when Discord asks for it", async () => {
    discord.emulator.gateway.askToReconnect();
    await discord.until(() => discord.adapter.health().state === "degraded");
    await discord.until(() => discord.adapter.health().state === "up");
    expect(await write("still there?")).toMatchObject({ text: "still there?" });
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
