import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

describe("the home channel", () => {
  it.each([
    [CHATS.private, "agent:main:telegram:dm:1001"],
    [CHATS.group, "agent:main:telegram:group:-2001"],
    [CHATS.supergroup, `agent:main:telegram:group:${CHATS.supergroup}`],
    [CHATS.forum, `agent:main:telegram:group:${CHATS.forum}`],
  ])("%s is the kind of chat that Telegram says", async (chatId, key) => {
    expect(buildSessionKey(await telegram.adapter.homeConversation({ chatId }))).toBe(key);
  });

  it("may be a topic, and the General topic is the forum itself", async () => {
    const threadId = telegram.emulator.openThread(CHATS.forum, "Hermes");
    expect(await telegram.adapter.homeConversation({ chatId: CHATS.forum, threadId })).toMatchObject({ threadId });
    const general = await telegram.adapter.homeConversation({ chatId: CHATS.forum, threadId: "1" });
    expect(general.threadId).toBeUndefined();
  });

  it("refuses a home channel that is a removed topic", async () => {
    const home = telegram.adapter.homeConversation({ chatId: CHATS.forum, threadId: "77" });
    await expect(home).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });

  it("refuses a home channel that the bot cannot see, with the likely causes", async () => {
    const home = telegram.adapter.homeConversation({ chatId: "42" });
    await expect(home).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
      hint: expect.stringMatching(/id is wrong.*Start.*not a member.*supergroup/s),
    });
  });

  it.each([
    ["left", "not a member"],
    ["kicked", "kicked"],
  ] as const)("refuses a home channel that the bot was removed from (%s)", async (status, words) => {
    telegram.emulator.setBotStatus(CHATS.group, status);
    const home = telegram.adapter.homeConversation({ chatId: CHATS.group });
    await expect(home).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN", message: expect.stringContaining(words) });
  });

  it("refuses a home channel that the bot may not write in", async () => {
    telegram.emulator.setRight(CHATS.supergroup, "can_send_messages", false);
    const home = telegram.adapter.homeConversation({ chatId: CHATS.supergroup });
    await expect(home).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringContaining('may not write in "A supergroup"'),
    });
  });

  it("cannot be a channel", async () => {
    const home = telegram.adapter.homeConversation({ chatId: CHATS.channel });
    await expect(home).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });
});

describe("a group that becomes a supergroup", () => {
  it("a group's new id is reported, again after a restart; the old id still works", async () => {
    const before = await telegram.adapter.homeConversation({ chatId: CHATS.group });
    const chatId = telegram.emulator.upgradeGroup(CHATS.group);
    await telegram.emulator.receive({ chatId, text: "Still us" });
    await expect.poll(() => telegram.received.length).toBe(1);
    expect(telegram.moved[0]).toEqual([CHATS.group, chatId]);
    expect(telegram.received[0]?.conversation).toEqual({ ...before, chatId });
    telegram.moved.length = 0;
    await telegram.restart();
    expect(telegram.moved).toEqual([[CHATS.group, chatId]]);
    await telegram.emulator.receive({ chatId, text: "And still" });
    await expect.poll(() => telegram.received.length).toBe(2);
    const now = { ...before, chatId };
    expect(telegram.received[1]?.conversation).toEqual(now);
    expect(await telegram.adapter.homeConversation({ chatId: CHATS.group })).toEqual(now);
    expect(await telegram.adapter.homeConversation({ chatId })).toEqual(now);
  });

  it("a reused message number in an upgraded group is another message", async () => {
    const numbers: string[] = [];
    const write = async (chatId: string) => {
      for (let i = 0; i < 3; i++) numbers.push((await telegram.emulator.receive({ chatId, text: "Us" })).messageId);
    };
    await write(CHATS.group);
    const chatId = telegram.emulator.upgradeGroup(CHATS.group);
    await write(chatId);
    expect(new Set(numbers).size).toBeLessThan(6);
    await expect.poll(() => telegram.received.length).toBe(6);
    const ids = () => telegram.received.map((message) => message.messageId);
    expect(new Set(ids()).size).toBe(6);
    await telegram.restart();
    await telegram.emulator.receive({ chatId, text: "Still us", editOf: numbers[3] ?? "" });
    await expect.poll(() => telegram.received.at(-1)?.isEdit).toBe(true);
    expect(ids().slice(0, 6)).toContain(ids().at(-1));
  });

  it("sends an answer that grew before the upgrade anew, and overwrites no other one", async () => {
    const at = await telegram.adapter.homeConversation({ chatId: CHATS.group });
    const five = async (text: string) => {
      let messageId = "";
      for (let i = 0; i < 5; i++) ({ messageId } = await telegram.adapter.send(at, { text }, sendOptions));
      return messageId;
    };
    const before = await five("Half");
    const chatId = telegram.emulator.upgradeGroup(CHATS.group);
    const after = await five("Another");
    expect(telegram.emulator.messages(chatId).map(({ id }) => id)).toContain(before);
    const edit = telegram.adapter.edit(at, before, { text: "Half and whole" }, sendOptions);
    await expect(edit).rejects.toMatchObject({ code: "PLATFORM_NOT_FOUND" });
    const { messageId } = await telegram.adapter.edit(at, after, { text: "Changed" }, sendOptions);
    expect(messageId).toBe(after);
    const texts = telegram.emulator.messages(chatId).map(({ text }) => text);
    expect([...new Set(texts)]).toEqual(["Another", "Changed"]);
  });

  it("a send to an upgraded group uses the new id that the refusal names", async () => {
    const at = await telegram.adapter.homeConversation({ chatId: CHATS.group });
    telegram.emulator.fail({ operation: "getUpdates", times: 10, kind: { is: "hang" } });
    const chatId = telegram.emulator.upgradeGroup(CHATS.group);
    const { link } = await telegram.adapter.send(
      at,
      { text: "Hello" },
      { key: "k", signal: new AbortController().signal },
    );
    telegram.emulator.heal();
    expect(telegram.emulator.messages(chatId)).toMatchObject([{ text: "Hello" }]);
    expect(link).toBe(`https://t.me/c/2001/${telegram.emulator.messages(chatId)[0]?.id}`);
  });
});
