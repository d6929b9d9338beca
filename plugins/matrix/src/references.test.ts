import { afterEach, beforeEach, expect, it } from "vitest";
import { ADA, type MatrixInbound, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix } from "../test/running-matrix.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

async function read(message: Partial<MatrixInbound>) {
  const before = matrix.received.length;
  await matrix.emulator.receive({ chatId: ROOMS.group, text: "Why?", ...message });
  return (await matrix.untilReceived(before + 1))[before];
}

it("tells what a message answers in the words that its writer chose, on one level", async () => {
  const first = await read({ text: "Lunch?", userId: "@bo:emulated.test" });
  const text = "> <@bo:emulated.test> Lunch?\n\nYes";
  const second = await read({ text, replyTo: first?.messageId ?? "" });
  expect((await read({ replyTo: second?.messageId ?? "" }))?.refersTo).toEqual({
    ...{ messageId: second?.messageId, text: "Yes", writer: { id: ADA, name: "Ada" } },
  });
});

it("tells the latest version of an edited message, and nothing of a redacted one", async () => {
  const first = await read({ text: "Lunc?" });
  const replyTo = first?.messageId ?? "";
  await read({ text: "Lunch?", editOf: replyTo });
  expect((await read({ replyTo }))?.refersTo?.text).toMatch(/^Lunch?/);
  matrix.emulator.retract({ chatId: ROOMS.group, messageId: replyTo });
  expect((await read({ replyTo }))?.refersTo).toBeUndefined();
});

it("names by its id alone a message that the bot may not see, and its own", async () => {
  expect((await read({ replyTo: "$before-it-came" }))?.refersTo).toEqual({ messageId: "$before-it-came" });
  const at = { platform: "matrix", chatId: ROOMS.group, kind: "group" } as const;
  const { messageId } = await matrix.adapter.send(at, { text: "Hello" }, sendOptions("key"));
  expect((await read({ replyTo: messageId }))?.refersTo).toEqual({ messageId, isOwn: true });
});

it("a fallback for clients without threads is no answer to a message", async () => {
  const first = await read({ text: "Lunch?" });
  expect((await read({ threadId: first?.messageId ?? "" }))?.refersTo).toBeUndefined();
});

it("reports a redaction behind the message that it redacts", async () => {
  const first = await read({ chatId: ROOMS.direct });
  matrix.emulator.retract({ chatId: ROOMS.direct, messageId: first?.messageId ?? "" });
  await matrix.until(() => matrix.retracted.length === 1);
  expect(matrix.retracted).toEqual([{ messageId: first?.messageId, by: undefined }]);
});

it("hands over polls and places as data, and reports stickers as unreadable", async () => {
  const content = { msgtype: "m.location", body: "Café", geo_uri: "geo:59.9,10.7;u=5" };
  expect(await read({ content })).toMatchObject({
    ...{ text: "", items: [{ kind: "place", name: "Café", latitude: 59.9, longitude: 10.7 }] },
  });
  const poll = {
    "org.matrix.msc3381.poll.start": {
      question: { "org.matrix.msc1767.text": "Lunch?" },
      answers: [{ id: "1", "org.matrix.msc1767.text": "Yes" }],
    },
  };
  matrix.emulator.send(ROOMS.group, "org.matrix.msc3381.poll.start", poll);
  expect((await matrix.untilReceived(2))[1]?.items).toEqual([{ kind: "poll", question: "Lunch?", options: ["Yes"] }]);
  await matrix.emulator.sendUnreadable({ chatId: ROOMS.group });
  expect((await matrix.untilReceived(3))[2]).toMatchObject({ text: "", unreadable: "sticker" });
});

it("passes over a poll that is not encrypted in an encrypted room", async () => {
  matrix.emulator.send(ROOMS.encrypted, "m.poll.start", { "m.poll": { question: {}, answers: [] } });
  await read({ text: "The next one." });
  expect(matrix.received).toHaveLength(1);
});

it("names nobody as the writer of words that somebody passed on", async () => {
  const content = { msgtype: "m.text", body: "Pay.", "m.forwarded": { sender: "@eve:emulated.test" } };
  const replyTo = (await read({ content }))?.messageId ?? "";
  expect((await read({ replyTo }))?.refersTo).toEqual({ messageId: replyTo, text: "Pay." });
});

it("quotes nothing of another room, whatever the server hands out", async () => {
  const replyTo = (await read({ text: "The private plan." }))?.messageId ?? "";
  Object.assign(matrix.emulator.server.room(ROOMS.group)?.entry(replyTo)?.event ?? {}, { room_id: ROOMS.direct });
  expect((await read({ replyTo }))?.refersTo).toEqual({ messageId: replyTo });
});

it("nobody vouches for what is quoted in the open in an encrypted room", async () => {
  const replyTo = matrix.emulator.send(ROOMS.encrypted, "m.room.message", { msgtype: "m.text", body: "Pay." });
  expect((await read({ chatId: ROOMS.encrypted, replyTo }))?.refersTo).toMatchObject({ text: "Pay.", isClaimed: true });
});

it("an edit in the open changes nothing of a quote that was encrypted", async () => {
  const replyTo = (await read({ chatId: ROOMS.encrypted, text: "Keep it." }))?.messageId ?? "";
  const relation = { rel_type: "m.replace", event_id: replyTo };
  const edit = { msgtype: "m.text", body: "Pay.", "m.new_content": { msgtype: "m.text", body: "Pay." } };
  matrix.emulator.send(ROOMS.encrypted, "m.room.message", { ...edit, "m.relates_to": relation });
  expect((await read({ chatId: ROOMS.encrypted, replyTo }))?.refersTo).toMatchObject({ text: "Keep it." });
});
