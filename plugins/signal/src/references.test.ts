import { afterEach, beforeEach, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, sendOptions, startSignal } from "../test/running-signal.ts";

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

const chatId = CHATS.ada;

it("tells what a message quotes by the id that it came with, as the sender's claim", async () => {
  const first = await signal.heard({ chatId: CHATS.group, text: "Lunch?", userId: CHATS.grace });
  const replyTo = first?.messageId ?? "";
  expect(await signal.heard({ chatId: CHATS.group, text: "Yes", replyTo })).toMatchObject({
    text: "Yes",
    refersTo: { messageId: replyTo, text: "Lunch?", writer: { id: PEOPLE.grace.uuid }, isClaimed: true },
  });
});

it("learns from a quote about nobody which ids are theirs", async () => {
  const quote = { id: 5, authorUuid: CHATS.grace, authorNumber: PEOPLE.ada.number, text: "I am Ada." };
  const message = await signal.heard({ chatId, text: "See?", fields: { quote } });
  expect(message?.refersTo?.writer).toMatchObject({ id: PEOPLE.grace.uuid });
  expect((await signal.identities.holder(PEOPLE.ada.number))?.key).not.toBe(PEOPLE.grace.uuid);
});

it("tells that the bot wrote what a message quotes, by the id that it was sent with", async () => {
  const at = { platform: "signal", chatId, kind: "dm" } as const;
  const { messageId } = await signal.adapter.send(at, { text: "Hello" }, sendOptions);
  const replyTo = `${PEOPLE.self.uuid}:${messageId}`;
  expect((await signal.heard({ chatId, text: "Hi", replyTo }))?.refersTo).toMatchObject({ messageId, isOwn: true });
});

it("reports a deletion as one of the deleter's own message, whatever they name", async () => {
  const first = await signal.heard({ chatId: CHATS.group, text: "one", userId: CHATS.ada });
  const messageId = first?.messageId ?? "";
  signal.emulator.retract({ chatId: CHATS.group, messageId });
  signal.emulator.retract({ chatId: CHATS.group, messageId, userId: CHATS.grace });
  await signal.until(() => signal.retracted.length === 2);
  const [, timestamp] = messageId.split(":");
  expect(signal.retracted).toEqual([
    { messageId, by: PEOPLE.ada.uuid },
    { messageId: `${PEOPLE.grace.uuid}:${timestamp}`, by: PEOPLE.grace.uuid },
  ]);
});

it("reports a deletion of an edited message by its first id", async () => {
  const first = await signal.heard({ chatId, text: "one" });
  const messageId = first?.messageId ?? "";
  const edit = await signal.heard({ chatId, text: "two", editOf: messageId });
  signal.emulator.retract({ chatId, messageId: `${PEOPLE.ada.uuid}:${edit?.sentAt}` });
  await signal.until(() => signal.retracted.length === 1);
  expect(signal.retracted[0]?.messageId).toBe(messageId);
});

it("hands over polls and contacts as data, and reports stickers and payments", async () => {
  const name = { given: "Ada", family: "L." };
  const contacts = [{ name, phone: [{ value: "+47 1" }], email: [{ value: "ada@example.org" }] }];
  expect(await signal.heard({ chatId, text: "", fields: { contacts } })).toMatchObject({
    items: [{ kind: "contact", name: "Ada L.", addresses: ["+47 1", "ada@example.org"] }],
  });
  const pollCreate = { question: "Lunch?", allowMultiple: false, options: ["Yes", "No"] };
  expect(await signal.heard({ chatId, text: "", fields: { pollCreate } })).toMatchObject({
    items: [{ kind: "poll", question: "Lunch?", options: ["Yes", "No"] }],
  });
  const sticker = { packId: "1", stickerId: 2 };
  expect((await signal.heard({ chatId, text: "", fields: { sticker } }))?.unreadable).toBe("sticker");
  expect((await signal.heard({ chatId, text: "", fields: { payment: { note: "" } } }))?.unreadable).toBe("payment");
});
