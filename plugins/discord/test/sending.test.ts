import { textFile } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, PERSON } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, SIGNAL, startDiscord } from "./running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
});
afterEach(() => discord[Symbol.asyncDispose]());

const texts = (chatId: string = CHANNEL.general) => discord.emulator.messages(chatId).map(({ text }) => text);
const posts = () => discord.emulator.log.filter(({ method }) => method === "POST /channels/:id/messages");
const IN_STANDING = { ...IN_GENERAL, threadId: CHANNEL.standingThread };

describe("a message", () => {
  it("a sent message has a link that opens it", async () => {
    const { messageId, link } = await discord.send(IN_STANDING, "Hello.", "k");
    expect(link).toBe(`https://discord.com/channels/100000000000000001/${CHANNEL.standingThread}/${messageId}`);
    expect((await discord.send(IN_DM, "Hello.", "k2")).link).toContain(`/channels/@me/${CHANNEL.dm}/`);
  });

  it("pings nobody, whoever it names", async () => {
    await discord.send(IN_GENERAL, "@everyone, look", "k");
    expect(posts()[0]?.body).toMatchObject({ allowed_mentions: { parse: [] } });
  });

  it("can be a file with its name and its text", async () => {
    const file = textFile("notes for you.md", "text/markdown", "# Notes");
    await discord.send(IN_GENERAL, { text: "", file }, "k");
    expect(discord.emulator.messages(CHANNEL.general)[0]?.fileNames).toEqual(["notes for you.md"]);
  });

  it("grows by edits", async () => {
    const { messageId } = await discord.send(IN_GENERAL, "One", "k");
    await discord.adapter.edit(IN_GENERAL, messageId, { text: "One, two" }, { key: "k", signal: SIGNAL });
    expect(texts()).toEqual(["One, two"]);
  });

  it("reports a message deleted while it grew as gone, so that a new one is sent", async () => {
    const editing = discord.adapter.edit(IN_GENERAL, "123456789012345678", { text: "x" }, { key: "k", signal: SIGNAL });
    await expect(editing).rejects.toMatchObject({ code: "PLATFORM_NOT_FOUND" });
  });
});

describe("the same key", () => {
  it("the same key sends one message while Discord compares nonces", async () => {
    discord.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(discord.send(IN_GENERAL, "Hello.", "k")).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    const { messageId } = await discord.send(IN_GENERAL, "Hello.", "k");
    expect(discord.emulator.messages(CHANNEL.general).map(({ id }) => id)).toEqual([messageId]);
  });

  it("the same key sends one message the next day and in another process", async () => {
    await discord.send(IN_GENERAL, "Hello.", "earlier");
    discord.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(discord.send(IN_GENERAL, "Hello.", "k")).rejects.toThrow();
    await discord.stop();
    discord.emulator.world.nonces.clear();
    await discord.startAgain();
    const found = await discord.adapter.findSent(IN_GENERAL, "k", SIGNAL);
    const [, second] = discord.emulator.messages(CHANNEL.general);
    expect(found?.messageId).toBe(second?.id);
    expect((await discord.send(IN_GENERAL, "Hello.", "k")).messageId).toBe(second?.id);
    expect(texts()).toEqual(["Hello.", "Hello."]);
  });

  it("findSent finds nothing if the message never arrived", async () => {
    discord.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    await expect(discord.send(IN_GENERAL, "Hello.", "k")).rejects.toMatchObject({ retryable: true });
    expect(await discord.adapter.findSent(IN_GENERAL, "k", SIGNAL)).toBeNull();
    expect(await discord.adapter.findSent(IN_GENERAL, "never", SIGNAL)).toBeNull();
  });

  it("sends a message that was refused before", async () => {
    discord.emulator.deny(CHANNEL.general, "SendMessages");
    await expect(discord.send(IN_GENERAL, "Hello.", "k")).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
    discord.emulator.allow(CHANNEL.general, "SendMessages");
    await discord.send(IN_GENERAL, "Hello.", "k");
    expect(texts()).toEqual(["Hello."]);
  });
});

describe("what Discord refuses", () => {
  it.each([
    ["SendMessages", IN_GENERAL, "the bot lacks Send Messages in #general"],
    ["SendMessagesInThreads", IN_STANDING, "the bot lacks Send Messages in Threads in #general"],
  ] as const)("a refused send names the missing right %s", async (right, to, words) => {
    discord.emulator.deny(CHANNEL.general, right);
    await expect(discord.send(to, "Hello.", "k")).rejects.toMatchObject({ message: expect.stringContaining(words) });
  });

  it("a locked thread is reported as forbidden, not as gone", async () => {
    discord.emulator.lockThread(CHANNEL.standingThread);
    await expect(discord.send(IN_STANDING, "Hello.", "k")).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringContaining("locked"),
    });
  });

  it("a send to a removed thread fails with PLATFORM_THREAD_GONE", async () => {
    discord.emulator.removeThread(CHANNEL.general, CHANNEL.standingThread);
    await expect(discord.send(IN_STANDING, "Hello.", "k")).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });

  it("keeps the words of a removed private thread out of the channel around it", async () => {
    const to = { ...IN_GENERAL, threadId: CHANNEL.privateThread };
    await discord.send(to, "Among us.", "k1");
    discord.emulator.removeThread(CHANNEL.general, CHANNEL.privateThread);
    // Whatever becomes of the message, it is not a thread that is gone: such a message moves to the channel.
    await expect(discord.send(to, "Hello.", "k2")).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
      message: expect.stringContaining("the private thread in #general is gone"),
    });
  });

  it("a private thread removed while Hermes was away is reported as gone", async () => {
    await discord.emulator.receive({ chatId: CHANNEL.general, threadId: CHANNEL.privateThread, text: "Among us." });
    const to = (await discord.untilReceived(1))[0]?.conversation ?? IN_GENERAL;
    expect(to).toMatchObject({ threadId: CHANNEL.privateThread, isPrivate: true });
    await discord.stop();
    discord.emulator.removeThread(CHANNEL.general, CHANNEL.privateThread);
    await discord.startAgain();
    await expect(discord.send(to, "Hello.", "k")).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
      message: expect.stringContaining("the private thread in"),
    });
  });

  it("a refused direct message hints how the person can allow them", async () => {
    discord.emulator.fail({ operation: "send", kind: { is: "refuse", code: "50007" } });
    await expect(discord.send(IN_DM, "Hello.", "k")).rejects.toMatchObject({
      hint: expect.stringContaining("allow direct messages"),
    });
  });

  it("waits out a short rate limit in the call, and leaves a long one to the outbox", async () => {
    discord.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 200 } });
    await discord.send(IN_GENERAL, "Hello.", "k");
    discord.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 30_000 } });
    const error = await discord.send(IN_GENERAL, "Again.", "k2").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "PLATFORM_RATE_LIMITED", retryable: true });
    expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(30_000);
    expect(texts()).toEqual(["Hello."]);
  });
});

it("shows that an answer is being written", async () => {
  await discord.adapter.typing(IN_STANDING, SIGNAL);
  const [typing] = discord.emulator.log.filter(({ method }) => method.endsWith("/typing"));
  expect(typing).toMatchObject({ status: 204, body: { ids: [CHANNEL.standingThread] } });
});

it("backfills a reply written while Hermes was offline in a newly written-to chat", async () => {
  await discord.send(IN_DM, "Hello.", "k");
  await discord.stop();
  await discord.emulator.receive({ chatId: CHANNEL.dm, userId: PERSON.id, text: "Hello back." });
  await discord.startAgain();
  expect((await discord.untilReceived(1))[0]).toMatchObject({ text: "Hello back.", conversation: IN_DM });
});
