import { buildSessionKey, PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram, threadOptions } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

function open(chatId: string, name = "Fix the build") {
  return telegram.adapter.createHandoffThread(chatId, name, threadOptions(chatId));
}

/** What a person sees of a failed attempt. */
async function refusalOf(chatId: string): Promise<PlatformError> {
  const error = await open(chatId).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformError)) throw new Error(`a topic was opened, or ${error} thrown`);
  return error;
}

describe("a topic for a handoff", () => {
  it("a handoff opens a topic in a forum and links to it", async () => {
    const thread = await open(CHATS.forum);
    expect(telegram.emulator.threads(CHATS.forum)).toMatchObject([{ name: "Fix the build" }]);
    expect(thread.link).toBe(`https://t.me/c/3002/${thread.conversation.threadId}`);
    expect(thread.conversation.kind).toBe("group");
  });

  it("opens a topic, without a link, in a private chat where the bot has topics", async () => {
    const thread = await open(CHATS.private);
    expect(telegram.emulator.threads(CHATS.private)).toMatchObject([{ name: "Fix the build" }]);
    expect(thread.link).toBeUndefined();
    expect(thread.conversation.kind).toBe("dm");
  });

  it("a topic's name is cut to 128 units, between characters", async () => {
    await open(CHATS.forum, "👩‍👩‍👧".repeat(40));
    const [topic] = telegram.emulator.threads(CHATS.forum);
    expect(topic?.name.length).toBeLessThanOrEqual(128);
    expect(topic?.name).toMatch(/^(👩‍👩‍👧)+…$/u);
  });

  it.each([CHATS.forum, CHATS.private])(
    "messages in a topic have its key, even after a restart (%s)",
    async (chatId) => {
      const { conversation } = await open(chatId);
      const threadId = conversation.threadId ?? "";
      await telegram.emulator.receive({ chatId, threadId, text: "Hello" });
      await expect.poll(() => telegram.received.length).toBe(1);
      await telegram.restart();
      await telegram.emulator.receive({ chatId, threadId, text: "Hello again" });
      await expect.poll(() => telegram.received.length).toBe(2);
      const keys = telegram.received.map((message) => buildSessionKey(message.conversation));
      expect(keys).toEqual([buildSessionKey(conversation), buildSessionKey(conversation)]);
    },
  );

  it("a topic is removed if the handoff was aborted meanwhile", async () => {
    telegram.emulator.fail({ operation: "createThread", kind: { is: "hang" } });
    const leaving = new AbortController();
    const opening = telegram.adapter.createHandoffThread(
      CHATS.forum,
      "Late",
      threadOptions(CHATS.forum, leaving.signal),
    );
    await telegram.emulator.receive({ chatId: CHATS.private, text: "meanwhile" });
    await expect.poll(() => telegram.received.length).toBe(1);
    leaving.abort();
    telegram.emulator.heal();
    await expect(opening).rejects.toThrow();
    expect(telegram.emulator.threads(CHATS.forum)).toEqual([]);
  });
});

describe("where no topic can be opened", () => {
  it("a handoff says that Threaded Mode is off and how to turn it on", async () => {
    telegram.emulator.world.hasTopicsInPrivate = false;
    const error = await refusalOf(CHATS.private);
    expect(error).toMatchObject({ code: "PLATFORM_FORBIDDEN", retryable: false });
    expect(error.message).toMatch(/topics are off .* "Threaded Mode" .* @BotFather/);
    // The Mini App's way: the menu of /mybots does not list it.
    expect(error).toMatchObject({ hint: expect.stringMatching(/Open App, .*Bot Settings, Threaded Mode/) });
    expect(telegram.calls("createForumTopic")).toEqual([]);
  });

  it("in a private chat: Hermes says where to look when Telegram still allows no topic", async () => {
    for (const code of ["BOT_FORUM_CREATE_FORBIDDEN", "Forbidden: BOT_FORUM_CREATE_FORBIDDEN"]) {
      telegram.emulator.fail({ operation: "createThread", kind: { is: "refuse", code } });
      expect(await refusalOf(CHATS.private)).toMatchObject({
        code: "PLATFORM_FORBIDDEN",
        hint: expect.stringMatching(/Open App, .*Threaded Mode\. It has to be on/),
      });
    }
  });

  it("in a private chat: nobody is sent to the administrators of a group", async () => {
    for (const code of ["the chat is not a forum", "not enough rights to create a topic"]) {
      telegram.emulator.fail({ operation: "createThread", kind: { is: "refuse", code } });
      const { message, hint } = await refusalOf(CHATS.private);
      expect(message).toMatch(/"Threaded Mode" on in @BotFather/);
      expect(message + hint).not.toMatch(/group|dministrator/);
    }
  });

  it("in a private chat: it is tried again at the next handoff, without a restart", async () => {
    telegram.emulator.world.hasTopicsInPrivate = false;
    await refusalOf(CHATS.private);
    telegram.emulator.world.hasTopicsInPrivate = true;
    expect((await open(CHATS.private)).conversation.threadId).toBeDefined();
  });

  it.each([CHATS.supergroup, CHATS.group])(
    "in a group without topics: Hermes says that they are off (%s)",
    async (chatId) => {
      expect((await refusalOf(chatId)).message).toMatch(/topics are off in this group/);
    },
  );

  it("names a missing right in a forum, asks once, and existing topics go on working", async () => {
    const { conversation } = await open(CHATS.forum);
    telegram.emulator.setRight(CHATS.forum, "can_manage_topics", false);
    expect((await refusalOf(CHATS.forum)).message).toContain('the right "Manage Topics"');
    expect(telegram.calls("createForumTopic")).toHaveLength(2);
    await telegram.adapter.send(conversation, { text: "Still here." }, sendOptions);
    expect(telegram.emulator.messages(CHATS.forum, conversation.threadId)).toMatchObject([{ text: "Still here." }]);
  });

  it("in a forum without the right: the bot starts all the same", async () => {
    telegram.emulator.setRight(CHATS.forum, "can_manage_topics", false);
    await telegram.restart();
    expect(telegram.adapter.health()).toEqual({ state: "up" });
    expect(await telegram.adapter.homeConversation({ chatId: CHATS.forum })).toMatchObject({ kind: "group" });
  });
});

describe("a topic that is to be removed", () => {
  it("deleteThread deletes the topic with its messages", async () => {
    const thread = await open(CHATS.forum);
    await telegram.adapter.deleteThread(thread);
    expect(telegram.emulator.threads(CHATS.forum)).toEqual([]);
  });

  it("deleteThread closes a topic that the bot may not delete", async () => {
    telegram.emulator.setRight(CHATS.forum, "can_delete_messages", false);
    const thread = await open(CHATS.forum);
    await telegram.adapter.deleteThread(thread);
    expect(telegram.calls("closeForumTopic")).toHaveLength(1);
  });

  it("may be gone already", async () => {
    const thread = await open(CHATS.forum);
    telegram.emulator.removeThread(CHATS.forum, thread.conversation.threadId ?? "");
    await expect(telegram.adapter.deleteThread(thread)).resolves.toBeUndefined();
  });
});
