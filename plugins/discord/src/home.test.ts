import type { HomeChannel } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, PERSON } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
});
afterEach(() => discord[Symbol.asyncDispose]());

const homeAt = (home: HomeChannel) => discord.adapter.homeConversation(home);

describe("a home channel", () => {
  it.each([
    ["a channel", { chatId: CHANNEL.general }, IN_GENERAL],
    ["direct messages", { chatId: CHANNEL.dm }, IN_DM],
    ["a person, who stands for their direct messages", { chatId: PERSON.id }, IN_DM],
    ["a thread", { chatId: CHANNEL.standingThread }, { ...IN_GENERAL, threadId: CHANNEL.standingThread }],
    [
      "a thread beside its channel",
      { chatId: CHANNEL.general, threadId: CHANNEL.standingThread },
      { ...IN_GENERAL, threadId: CHANNEL.standingThread },
    ],
  ])("may be %s", async (_, home, conversation) => {
    expect(await homeAt(home)).toEqual(conversation);
  });

  it.each([
    ["a voice channel", CHANNEL.voice, "PLATFORM_REJECTED", /#voice is a voice channel/],
    ["unknown", "999999999999999999", "PLATFORM_NOT_FOUND", /no channel or person 999999999999999999/],
    ["a name", "#general", "PLATFORM_NOT_FOUND", /no channel “#general”/],
  ])("refuses a home channel that is %s, with what to do about it", async (_, chatId, code, words) => {
    await expect(homeAt({ chatId })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
      hint: expect.stringMatching(/^.{20,}/),
    });
  });

  it.each([
    [CHANNEL.general, ["ViewChannel"], "View Channel in #general"],
    [CHANNEL.general, ["SendMessages", "CreatePublicThreads"], "Send Messages in #general"],
    [CHANNEL.standingThread, ["SendMessagesInThreads"], "Send Messages in Threads in #general"],
    [CHANNEL.forum, ["SendMessagesInThreads"], "Send Messages in Posts in #forum"],
  ] as const)("a home channel at %s without %j is refused by the name of the right", async (chatId, rights, words) => {
    const place = chatId === CHANNEL.standingThread ? CHANNEL.general : chatId;
    discord.emulator.deny(place, ...rights);
    await expect(homeAt({ chatId })).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringContaining(words),
    });
  });

  it("may be a channel in which the bot can only open threads", async () => {
    discord.emulator.deny(CHANNEL.general, "SendMessages");
    expect(await homeAt({ chatId: CHANNEL.general })).toEqual(IN_GENERAL);
  });
});
