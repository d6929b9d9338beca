import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BlueBubblesEmulator, CHATS, PEOPLE } from "../emulator/index.ts";
import type { Chat, NewRow } from "../emulator/rows.ts";
import { heard, type RunningIMessage, sendOptions, settledIn, startIMessage } from "./running-imessage.ts";

let imessage: RunningIMessage;
beforeEach(async () => {
  imessage = await startIMessage();
});
afterEach(() => imessage[Symbol.asyncDispose]());

/** A message that another version of the server writes in another form. */
function writeOddly(emulator: BlueBubblesEmulator, text = "My secret") {
  return emulator.receive({ chatId: CHATS.ada, text, row: { itemType: "odd" as never } });
}

function chatOfAda(): Chat {
  const chat = imessage.emulator.world.database.chat(CHATS.ada);
  if (chat === undefined) throw new Error("there is no chat with Ada");
  return chat;
}

function passedOver(): string[] {
  return imessage.logged.filter((line) => line.includes("in a form that Hermes does not know"));
}

describe("a message in a form that Hermes does not know", () => {
  it("a message in an unknown form is passed over with a warning, without its words", async () => {
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "One" });
    await writeOddly(imessage.emulator);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Two" });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["One", "Two"]);
    expect(passedOver()).toHaveLength(1);
    expect(imessage.logged.join()).not.toContain("My secret");
  });

  it("a gateway starts though a message in its history is in an unknown form", async () => {
    await settledIn(imessage);
    await imessage.stop();
    await writeOddly(imessage.emulator);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Two" });
    await imessage.startAgain();
    await expect.poll(() => heard(imessage)).toEqual(["Two"]);
  });

  it("a first start answers nothing of before, though the newest row is not read", async () => {
    await imessage[Symbol.asyncDispose]();
    imessage = await startIMessage({}, (emulator, clock) => {
      void emulator.receive({ chatId: CHATS.ada, text: "Long ago" });
      void clock.advance(1_000);
      void writeOddly(emulator);
    });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual([]);
  });

  it("a message that the server cannot tell does not keep its chat's others waiting", async () => {
    const { database } = imessage.emulator.world;
    const find = database.message.bind(database);
    let corrupt = "";
    Object.assign(database, {
      message(guid: string) {
        if (guid === corrupt) throw new Error("a corrupt body");
        return find(guid);
      },
    });
    const row = database.compose({ chat: chatOfAda(), author: PEOPLE.ada, isFromMe: false, text: "" });
    corrupt = row.guid;
    imessage.emulator.world.arrive(row, true);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Two" });
    const words = async () => {
      await imessage.clock.advance(5_000);
      return heard(imessage);
    };
    await expect.poll(words).toEqual(["Two"]);
  });

  it("a message that was sent is not sent again, though its row is not understood", async () => {
    const { adapter, emulator } = imessage;
    const ada = await adapter.homeConversation({ chatId: PEOPLE.ada });
    const { database } = emulator.world;
    const compose = database.compose.bind(database);
    Object.assign(database, { compose: (row: NewRow) => compose({ ...row, itemType: "odd" as never }) });
    const { messageId } = await adapter.send(ada, { text: "Hello" }, sendOptions);
    expect(await adapter.findSent(ada, sendOptions.key, sendOptions.signal)).toMatchObject({ messageId });
  });

  it("a chat in an unknown form keeps nobody else from being written to", async () => {
    const { adapter, emulator } = imessage;
    const [group] = emulator.world.database.chats.filter(({ guid }) => guid === CHATS.group);
    Object.assign(group ?? {}, { style: "odd" });
    const ada = await adapter.homeConversation({ chatId: PEOPLE.ada });
    await adapter.send(ada, { text: "Hello" }, sendOptions);
    expect(emulator.messages(CHATS.ada).map(({ text }) => text)).toEqual(["Hello"]);
  });
});

describe("a first start", () => {
  it("a server that tells again of what was before the first start gets no answer", async () => {
    await imessage[Symbol.asyncDispose]();
    imessage = await startIMessage({}, (emulator, clock) => {
      void emulator.receive({ chatId: CHATS.ada, text: "Long ago" });
      void clock.advance(1_000);
      void emulator.receive({ chatId: CHATS.ada, text: "A moment ago" });
    });
    imessage.emulator.replay(10);
    await settledIn(imessage);
    expect(heard(imessage)).toEqual([]);
  });

  it("messages of before that come to an empty Mac are not answered", async () => {
    const written = Date.now() - 3_600_000;
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Long ago", row: { dateCreated: written } });
    await settledIn(imessage);
    expect(heard(imessage)).toEqual([]);
  });
});
