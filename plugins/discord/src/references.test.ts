import { afterEach, beforeEach, expect, it } from "vitest";
import { CHANNEL, type DiscordInbound, PERSON } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord({ allowedUsers: [PERSON.id] });
});
afterEach(() => discord[Symbol.asyncDispose]());

async function write(more: Partial<DiscordInbound>) {
  const { messageId } = await discord.emulator.receive({ chatId: CHANNEL.general, text: "Why?", ...more });
  await discord.until(() => discord.received.some((message) => message.messageId === messageId));
  return discord.received.find((message) => message.messageId === messageId);
}

it("tells what a message replies to and who wrote it, unless that is gone", async () => {
  const lunch = await write({ text: "Lunch?", userId: "42", userName: "Grace" });
  const replyTo = lunch?.messageId ?? "";
  expect((await write({ replyTo }))?.refersTo).toEqual({
    ...{ messageId: replyTo, text: "Lunch?", writer: { id: "42", name: "Grace", isBot: false } },
  });
  discord.emulator.retract({ chatId: CHANNEL.general, messageId: replyTo });
  expect((await write({ replyTo }))?.refersTo).toBeUndefined();
});

it("tells that the bot itself wrote what a message replies to", async () => {
  const { messageId } = await discord.send(IN_GENERAL, "Hello.", "k");
  expect((await write({ replyTo: messageId }))?.refersTo).toEqual({ messageId, text: "Hello.", isOwn: true });
});

it("reports messages that are deleted, each and in bulk, by the ids they came with", async () => {
  const first = await write({ chatId: CHANNEL.dm, text: "one" });
  discord.emulator.retract({ chatId: CHANNEL.dm, messageId: first?.messageId ?? "" });
  await discord.until(() => discord.retracted.length === 1);
  const bulk = { ids: ["7", "8"], channel_id: CHANNEL.general };
  discord.emulator.gateway.dispatch("MESSAGE_DELETE_BULK", bulk, ~0);
  await discord.until(() => discord.retracted.length === 3);
  expect(discord.retracted).toEqual([first?.messageId, "7", "8"].map((messageId) => ({ messageId, by: undefined })));
  expect(first?.conversation).toEqual(IN_DM);
});

it("hands over a poll as data, and reports a sticker as unreadable", async () => {
  const answers = ["Yes", "No"].map((text, at) => ({ answer_id: at, poll_media: { text } }));
  const poll = { question: { text: "Lunch?" }, answers, allow_multiselect: false, layout_type: 1, expiry: null };
  const message = await write({ text: "", fields: { poll } });
  expect(message).toMatchObject({ text: "", items: [{ kind: "poll", question: "Lunch?", options: ["Yes", "No"] }] });
  const sticker_items = [{ id: "1", name: "Wave", format_type: 1 }];
  expect(await write({ text: "", fields: { sticker_items } })).toMatchObject({ text: "", unreadable: "sticker" });
  expect((await write({ text: "Hello", fields: { sticker_items } }))?.unreadable).toBeUndefined();
});

it("names nobody as the writer of words that somebody passed on", async () => {
  const passedOn = await write({ text: "Pay.", forwarded: { from: "Eve" } });
  const replyTo = passedOn?.messageId ?? "";
  expect((await write({ replyTo }))?.refersTo).toEqual({ messageId: replyTo, text: "Pay." });
});
