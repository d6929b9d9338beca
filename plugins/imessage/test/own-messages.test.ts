import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { heard, type RunningIMessage, sendOptions, settledIn, startIMessage } from "./running-imessage.ts";

/** A number of the account that the server does not tell, and the config does not name. */
const NUMBER = "+4915557777777";

let imessage: RunningIMessage;
let chat: string;
beforeEach(async () => {
  imessage = await startIMessage({}, (emulator) => {
    chat = emulator.addOwnAddress(NUMBER);
  });
  await imessage.clock.advance(1_000);
});
afterEach(() => imessage[Symbol.asyncDispose]());

async function say(chatId: string, text: string, key = "key-1") {
  const to = await imessage.adapter.homeConversation({ chatId });
  return imessage.adapter.send(to, { text }, { ...sendOptions, key });
}

describe("the chat with oneself by an address that Hermes does not know", () => {
  it("Hermes never hears itself, and hears each note once, by an unknown own number", async () => {
    await imessage.emulator.receive({ chatId: chat, text: "Milk" });
    await say(NUMBER, "Noted");
    await settledIn(imessage, chat);
    expect(heard(imessage)).toEqual(["Milk"]);
  });

  it("Hermes never hears itself in such a chat, however long somebody writes there", async () => {
    for (const text of ["Milk", "Bread", "Noted"]) {
      await imessage.emulator.receive({ chatId: chat, text });
      await imessage.until(() => heard(imessage).includes(text));
      await imessage.clock.advance(20_000);
      await say(NUMBER, "Noted!", `key-${text}`);
      await imessage.clock.advance(20_000);
    }
    await settledIn(imessage, chat);
    expect(heard(imessage)).toEqual(["Milk", "Bread", "Noted"]);
  });

  it("Hermes never hears itself in such a chat, though the answer to its call is lost", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await say(NUMBER, "Noted");
    await settledIn(imessage, chat);
    expect(heard(imessage)).toEqual([]);
  });

  it("Hermes knows its words by an unknown number after a restart and an edit, too", async () => {
    const { messageId } = await say(NUMBER, "Noted");
    await settledIn(imessage, chat);
    await imessage.restart();
    const to = await imessage.adapter.homeConversation({ chatId: NUMBER });
    await imessage.adapter.edit?.(to, messageId, { text: "Noted: milk" }, { ...sendOptions, key: "key-2" });
    const copy = imessage.emulator.world.database.rows.find(({ text, isFromMe }) => text === "Noted" && !isFromMe);
    await imessage.emulator.receive({ chatId: chat, text: "Noted: milk", editOf: copy?.guid ?? "" });
    imessage.emulator.replay(10);
    await settledIn(imessage, chat);
    expect(heard(imessage)).toEqual([]);
  });

  it("a person who repeats the words of Hermes later is heard", async () => {
    await say(PEOPLE.ada, "Yes");
    await imessage.clock.advance(15_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Yes" });
    await imessage.clock.advance(2_000);
    await say(PEOPLE.ada, "Yes", "key-2");
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Yes"]);
  });
});

describe("a person who answers in the words of Hermes", () => {
  beforeEach(async () => {
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Good morning" });
    await imessage.clock.advance(15_000);
  });

  it("a person who answers at once in the words of Hermes is heard, edits and all", async () => {
    await say(PEOPLE.ada, "Hello!");
    await imessage.clock.advance(3_000);
    const { messageId } = await imessage.emulator.receive({ chatId: CHATS.ada, text: "Hello" });
    await settledIn(imessage);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Hello!", editOf: messageId });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Good morning", "Hello", "Hello!"]);
  });

  it("a person is heard in the words of a send whose answer was lost", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    await say(PEOPLE.ada, "Yes").catch(() => {});
    await imessage.clock.advance(3_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Yes" });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Good morning", "Yes"]);
  });
});

describe("a chat with a person that has just begun", () => {
  const hears = (texts: string[]) =>
    expect
      .poll(async () => {
        await imessage.clock.advance(1_000);
        return heard(imessage);
      })
      .toEqual(texts);

  it("a person who says at once again what Hermes has repeated is heard", async () => {
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Hi" });
    await imessage.until(() => heard(imessage).length === 1);
    await imessage.clock.advance(2_000);
    await say(PEOPLE.ada, "Hi!");
    await imessage.clock.advance(3_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Hi" });
    await hears(["Hi", "Hi"]);
  });

  it("a person's first words are heard where Hermes has just said the same", async () => {
    await say(PEOPLE.ada, "Good morning");
    await imessage.clock.advance(15_000);
    await say(PEOPLE.ada, "Yes", "key-2");
    await imessage.clock.advance(3_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Yes" });
    await hears(["Yes"]);
  });
});

describe("a person whose words are those of a send that nobody knows of", () => {
  it("a person's words are heard once a send in the same words must be over", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    await say(PEOPLE.ada, "Yes").catch(() => {});
    await imessage.clock.advance(180_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Yes" });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Yes"]);
  });
});

describe.each([
  ["behind", -300_000],
  ["ahead", 300_000],
])("a Mac whose clock is %s", (_, clockAheadMs) => {
  beforeEach(async () => {
    await imessage[Symbol.asyncDispose]();
    imessage = await startIMessage({}, (emulator) => emulator.setMac({ clockAheadMs }));
    await imessage.clock.advance(1_000);
  });

  it("Hermes does not hear itself by a Mac whose clock is wrong, and hears notes", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await imessage.emulator.receive({ chatId: CHATS.self, text: "Milk" });
    await say(PEOPLE.self, "Noted");
    await settledIn(imessage, CHATS.self);
    expect(heard(imessage)).toEqual(["Milk"]);
  });

  it("a message whose answer was lost is found by a Mac whose clock is wrong", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await say(PEOPLE.ada, "Hello");
    expect(imessage.emulator.messages(CHATS.ada).map(({ text }) => text)).toEqual(["Hello"]);
  });
});
