import { buildSessionKey, type HomeChannel } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, GUILD } from "../emulator/index.ts";
import { type RunningDiscord, SIGNAL, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
});
afterEach(() => discord[Symbol.asyncDispose]());

function open(chatId: string, { name = "Fix the build", mark = "mark-1", home = {} as Partial<HomeChannel> } = {}) {
  return discord.adapter.createHandoffThread(chatId, name, { home: { chatId, ...home }, mark, signal: SIGNAL });
}

async function opened(chatId: string, options: Parameters<typeof open>[1] = {}) {
  const thread = await open(chatId, options);
  const threadId = thread?.conversation.threadId;
  if (!thread || !threadId) throw new Error("no thread was opened");
  return { ...thread, threadId };
}

const bodiesOf = (method: string) =>
  discord.emulator.log.filter((one) => one.method === method).map(({ body }) => body);

describe("a handoff to a text channel", () => {
  it("opens a thread that everybody in the channel sees", async () => {
    const { threadId, link } = await opened(CHANNEL.general);
    expect(discord.emulator.threads(CHANNEL.general)).toEqual([
      { id: threadId, name: "Fix the build", isVisible: true },
    ]);
    expect(bodiesOf("POST /channels/:id/threads")).toMatchObject([{ type: 11, auto_archive_duration: 1440 }]);
    expect(link).toBe(`https://discord.com/channels/${GUILD.id}/${threadId}`);
  });

  it("opens one on a message where it may not open one without", async () => {
    discord.emulator.fail({ operation: "createThread", kind: { is: "refuse", code: "50013" } });
    const { threadId } = await opened(CHANNEL.general, { name: "Fix *the* build" });
    const [seed] = discord.emulator.messages(CHANNEL.general);
    expect(seed).toMatchObject({ id: threadId, author: "bot" });
    expect(seed?.text).toContain("Fix *the* build");
    expect(discord.emulator.threads(CHANNEL.general)[0]?.isVisible).toBe(true);
  });

  it("a handoff asks once and posts nothing when a right was lost unnoticed", async () => {
    discord.emulator.denyUntold(CHANNEL.general, "CreatePublicThreads");
    await expect(open(CHANNEL.general)).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringMatching(/Create Public Threads.* in #general/),
    });
    expect(bodiesOf("POST /channels/:id/messages/:id/threads")).toEqual([]);
    expect(bodiesOf("POST /channels/:id/messages")).toEqual([]);
  });

  it("a handoff deletes its message if it may not open a thread", async () => {
    discord.emulator.fail({ operation: "createThread", times: 2, kind: { is: "refuse", code: "50013" } });
    await expect(open(CHANNEL.general)).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
    expect(discord.emulator.messages(CHANNEL.general)).toEqual([]);
    expect(discord.emulator.threads(CHANNEL.general)).toEqual([]);
  });

  it.each([
    ["CreatePublicThreads", "Create Public Threads"],
    ["SendMessagesInThreads", "Send Messages in Threads"],
    ["ViewChannel", "View Channel"],
  ] as const)("a handoff without the right %s names it and leaves nothing behind", async (right, label) => {
    discord.emulator.deny(CHANNEL.general, right);
    await expect(open(CHANNEL.general)).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringMatching(new RegExp(`${label}.* in #general`)),
    });
    expect(discord.emulator.threads(CHANNEL.general)).toEqual([]);
    expect(discord.emulator.messages(CHANNEL.general)).toEqual([]);
  });

  it.each([
    [CHANNEL.general, "threads", "the server has as many active threads as Discord permits"],
    [CHANNEL.announcements, "announcement-threads", "#announcements has as many active threads as Discord permits"],
  ] as const)("asks once, and names the limit, when there are too many threads in %s", async (chatId, limit, words) => {
    discord.emulator.world.threadLimit = limit;
    await expect(open(chatId)).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect(bodiesOf("POST /channels/:id/threads")).toHaveLength(1);
    expect(discord.emulator.messages(chatId)).toEqual([]);
  });

  it("a thread keeps its key for what a person writes, after a restart or closing", async () => {
    const { conversation, threadId } = await opened(CHANNEL.general);
    await discord.emulator.receive({ chatId: CHANNEL.general, threadId, text: "before" });
    await discord.untilReceived(1);
    await discord.stop();
    discord.emulator.archiveThread(threadId);
    await discord.startAgain();
    await discord.emulator.receive({ chatId: CHANNEL.general, threadId, text: "after" });
    const received = await discord.untilReceived(2);
    const keys = received.map((message) => buildSessionKey(message.conversation));
    expect(new Set(keys)).toEqual(new Set([buildSessionKey(conversation)]));
    expect(received[1]).toMatchObject({ chatName: "#general › Fix the build" });
  });
});

describe("a handoff to an announcement channel", () => {
  it("opens a thread of the kind that such channels have", async () => {
    await opened(CHANNEL.announcements);
    expect(bodiesOf("POST /channels/:id/threads")).toMatchObject([{ type: 10 }]);
  });
});

describe("a handoff to a forum", () => {
  it.each([CHANNEL.forum, CHANNEL.media])("opens a post with its first message in %s", async (chatId) => {
    const { threadId } = await opened(chatId);
    const [first] = discord.emulator.messages(chatId, threadId);
    expect(first?.text).toContain("Fix the build");
  });

  it.each(["questions", "QUESTIONS", "500000000000000002"])(
    "a handoff gives the forum post the tag %s",
    async (tag) => {
      await opened(CHANNEL.taggedForum, { home: { tag } });
      expect(bodiesOf("POST /channels/:id/threads")).toMatchObject([{ applied_tags: ["500000000000000002"] }]);
    },
  );

  it.each([
    [undefined, "every post in #tagged-forum needs a tag"],
    ["bugs", "has no tag “bugs”"],
  ])("a handoff with the tag %s says what to set and which tags there are", async (tag, words) => {
    const home = tag === undefined ? {} : { tag };
    for (const asking of [
      open(CHANNEL.taggedForum, { home }),
      discord.adapter.homeConversation({ chatId: CHANNEL.taggedForum, ...home }),
    ]) {
      await expect(asking).rejects.toMatchObject({
        message: expect.stringContaining(words),
        hint: expect.stringMatching(/`tag`.*“sessions”, “questions”/),
      });
    }
  });

  it("a missing right in a forum is named in the forum's terms", async () => {
    discord.emulator.deny(CHANNEL.forum, "SendMessages");
    const asking = discord.adapter.homeConversation({ chatId: CHANNEL.forum });
    await expect(asking).rejects.toMatchObject({ message: expect.stringContaining("Create Posts in #forum") });
  });

  it("fails when no post can be opened, as a forum itself takes no messages", async () => {
    discord.emulator.world.threadLimit = "threads";
    const home = await discord.adapter.homeConversation({ chatId: CHANNEL.forum });
    await expect(open(CHANNEL.forum)).rejects.toThrow("as many active threads");
    expect(discord.adapter.takesMessages(home)).toBe(false);
    expect(discord.emulator.threads(CHANNEL.forum)).toEqual([]);
    const channel = await discord.adapter.homeConversation({ chatId: CHANNEL.general });
    expect(discord.adapter.takesMessages(channel)).toBe(true);
  });

  it("a send to a forum itself says why no post could be opened", async () => {
    discord.emulator.world.threadLimit = "threads";
    await expect(open(CHANNEL.forum)).rejects.toThrow();
    const flat = discord.send({ platform: "discord", chatId: CHANNEL.forum, kind: "group" }, "Hello.", "k");
    await expect(flat).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: expect.stringContaining("as many active threads"),
    });
  });
});

describe("where there are no threads", () => {
  it.each([CHANNEL.dm, CHANNEL.voice])("none is opened in %s", async (chatId) => {
    expect(await open(chatId)).toBeNull();
  });

  it("a thread is used as it is", async () => {
    const { threadId, conversation } = await opened(CHANNEL.standingThread);
    expect(threadId).toBe(CHANNEL.standingThread);
    expect(conversation.chatId).toBe(CHANNEL.general);
    expect(discord.emulator.threads(CHANNEL.general)).toEqual([]);
  });
});

describe("a thread whose fate is not known", () => {
  it("a thread is used if it was opened and only the reply was lost", async () => {
    discord.emulator.fail({ operation: "createThread", kind: { is: "drop-answer" } });
    const { threadId } = await opened(CHANNEL.general);
    expect(discord.emulator.threads(CHANNEL.general).map(({ id }) => id)).toEqual([threadId]);
  });

  it.each([CHANNEL.general, CHANNEL.forum])("a thread is found by its mark after a crash in %s", async (chatId) => {
    const { threadId } = await opened(chatId);
    await discord.stop();
    await discord.startAgain();
    const find = (mark: string) => discord.adapter.findThread({ chatId }, mark, SIGNAL);
    expect((await find("mark-1"))?.conversation.threadId).toBe(threadId);
    expect(await find("mark-2")).toBeNull();
    expect((await opened(chatId)).threadId).toBe(threadId);
  });

  it("a thread with the same name but another mark is not reused", async () => {
    const first = await opened(CHANNEL.general, { mark: "mark-1" });
    discord.emulator.fail({ operation: "createThread", kind: { is: "break" } });
    await expect(open(CHANNEL.general, { mark: "mark-2" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    expect(await discord.adapter.findThread({ chatId: CHANNEL.general }, "mark-2", SIGNAL)).toBeNull();
    expect((await opened(CHANNEL.general, { mark: "mark-2" })).threadId).not.toBe(first.threadId);
  });

  it("a thread is removed if the handoff was aborted meanwhile", async () => {
    const giveUp = new AbortController();
    discord.emulator.fail({ operation: "createThread", kind: { is: "drop-answer" } });
    const opening = discord.adapter.createHandoffThread(CHANNEL.general, "x", {
      home: { chatId: CHANNEL.general },
      mark: "m",
      signal: giveUp.signal,
    });
    // Before the thread is looked for and found.
    while (discord.emulator.threads(CHANNEL.general).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort();
    await expect(opening).rejects.toThrow();
    await discord.until(() => discord.emulator.threads(CHANNEL.general).length === 0);
  });
});

describe("removing a thread", () => {
  it.each([0, 1])("leaves nothing in the channel (begun on a message: %i)", async (refusals) => {
    if (refusals > 0) {
      discord.emulator.fail({ operation: "createThread", kind: { is: "refuse", code: "50013" } });
    }
    const thread = await opened(CHANNEL.general);
    await discord.adapter.deleteThread(thread, SIGNAL);
    expect(discord.emulator.threads(CHANNEL.general)).toEqual([]);
    expect(discord.emulator.lines(CHANNEL.general)).toEqual([]);
    const sending = discord.send(thread.conversation, "late", "k");
    await expect(sending).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });

  it("closes it where the bot may not remove it", async () => {
    const thread = await opened(CHANNEL.general);
    discord.emulator.deny(CHANNEL.general, "ManageThreads");
    await discord.adapter.deleteThread(thread, SIGNAL);
    expect(bodiesOf("PATCH /channels/:id")).toMatchObject([{ archived: true }]);
  });

  it("spares a home that is a thread", async () => {
    await discord[Symbol.asyncDispose]();
    discord = await startDiscord({ homeChannel: CHANNEL.standingThread });
    const home = await discord.adapter.homeConversation({ chatId: CHANNEL.standingThread });
    await discord.adapter.deleteThread({ conversation: home }, SIGNAL);
    expect((await discord.send(home, "still here", "k")).messageId).toBeTruthy();
  });
});
