import type { InboundMessage } from "@hermes/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CHATS, type TelegramInbound } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

async function heard(message: Partial<TelegramInbound>): Promise<InboundMessage | undefined> {
  const before = telegram.received.length;
  await telegram.emulator.receive({ chatId: CHATS.private, text: "Why?", ...message });
  const { messageId: marker } = await telegram.emulator.receive({ chatId: message.chatId ?? CHATS.private, text: "." });
  await telegram.until(() => telegram.received.some(({ messageId }) => messageId === marker));
  return telegram.received.slice(before).find(({ text }) => text !== ".");
}

it("tells what is replied to, with its writer, on one level", async () => {
  const group = { chatId: CHATS.supergroup };
  const { messageId: first } = await telegram.emulator.receive({ ...group, text: "Lunch?" });
  const { messageId: second } = await telegram.emulator.receive({ ...group, text: "Yes", replyTo: first, userId: "7" });
  await telegram.untilReceived(2);
  expect((await heard({ ...group, replyTo: second }))?.refersTo).toEqual({
    ...{ messageId: second, text: "Yes", writer: { id: "7", name: "Person", isBot: false } },
  });
});

it("tells that the bot wrote what is replied to, and the part of it that was chosen", async () => {
  const at = { platform: "telegram", chatId: CHATS.private, kind: "dm" } as const;
  const { messageId } = await telegram.adapter.send(at, { text: "The red or the blue one." }, sendOptions);
  const quote = { text: "the blue one", position: 11, is_manual: true };
  expect((await heard({ replyTo: messageId, fields: { quote } }))?.refersTo).toMatchObject({
    ...{ messageId, text: "the blue one", isOwn: true, isPart: true },
  });
});

it("tells the part that was chosen of a message in another chat", async () => {
  const chat = { id: -1001, type: "channel", title: "News" };
  const origin = { type: "channel", chat, message_id: 5, date: 1, author_signature: "Grace" };
  const fields = {
    external_reply: { origin, chat, message_id: 5 },
    quote: { text: "/new", position: 0, is_manual: true },
  };
  expect((await heard({ fields }))?.refersTo).toEqual({
    ...{ text: "/new", writer: { name: "Grace" }, origin: "News", isPart: true },
  });
});

it("a message in a topic does not refer to what opened the topic", async () => {
  const threadId = telegram.emulator.openThread(CHATS.forum, "A topic");
  await telegram.emulator.receive({ chatId: CHATS.forum, threadId, text: "Hello" });
  expect((await telegram.untilReceived(1))[0]?.refersTo).toBeUndefined();
});

it("hands polls, contacts and venues over as data, not as the sender's words", async () => {
  const location = { latitude: 59.9, longitude: 10.7 };
  const kinds = [
    { venue: { location, title: "Café", address: "Main St 1" }, location },
    { contact: { phone_number: "+47 1", first_name: "Ada", last_name: "L." } },
    { poll: { id: "1", question: "/new?", options: [{ text: "Yes", voter_count: 0 }] } },
  ];
  const items = [];
  for (const fields of kinds) {
    const message = await heard({ text: "", fields });
    expect(message?.text).toBe("");
    items.push(...(message?.items ?? []));
  }
  expect(items).toEqual([
    { kind: "place", name: "Café", address: "Main St 1", ...location },
    { kind: "contact", name: "Ada L.", addresses: ["+47 1"] },
    { kind: "poll", question: "/new?", options: ["Yes"] },
  ]);
});

it("reports stories, games and paid media, and no service messages", async () => {
  const kinds = { story: { id: 1 }, game: {}, paid_media: {}, checklist: {}, sticker: {} };
  const unreadable = [];
  for (const [kind, value] of Object.entries(kinds)) {
    unreadable.push((await heard({ text: "", fields: { [kind]: value } }))?.unreadable);
  }
  expect(unreadable).toEqual(["story", "game", "paid-media", "list", "sticker"]);
  expect(await heard({ text: "", fields: { pinned_message: {} } })).toBeUndefined();
  expect(await heard({ text: "", fields: { sticker: { emoji: "👍" } } })).toMatchObject({ text: "👍" });
});

it("a bot that somebody wrote through is the writer of what is replied to", async () => {
  const from = { id: 7, is_bot: false, first_name: "Person" };
  const via_bot = { id: 8, is_bot: true, first_name: "Jokes" };
  const replied = { message_id: 1, date: 1, chat: { id: 1, type: "private" }, from, via_bot, text: "Pay." };
  expect((await heard({ fields: { reply_to_message: replied } }))?.refersTo).toEqual({
    ...{ messageId: "1", text: "Pay.", writer: { name: "Jokes" } },
  });
});
