import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningSignal, startSignal } from "./running-signal.ts";

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

function write(text: string, chatId: string = CHATS.ada) {
  return signal.emulator.receive({ chatId, text });
}

function texts(): string[] {
  return signal.received.map(({ text }) => text);
}

/** What the stream was taken up behind, each time it was opened. */
function lastEventIds(): unknown[] {
  return signal.calls("events").map(({ lastEventId }) => lastEventId);
}

/** Hermes has a message in its hands, and its process dies. */
async function dieWith(text: string): Promise<void> {
  signal.onReceive = () => new Promise(() => {});
  await write(text);
  await expect.poll(texts).toContain(text);
  await signal.stop();
  signal.onReceive = async () => {};
  signal.received.splice(0);
}

describe.each([
  ["numbers its events", true],
  ["numbers none", false],
])("what a person writes, where the daemon %s", (_, numbersEvents) => {
  beforeEach(() => signal.emulator.setFeed({ numbersEvents }));

  it("comes again after a crash before Hermes had it, under the same message id", async () => {
    await dieWith("Hello");
    await signal.startAgain();
    await expect.poll(texts).toEqual(["Hello"]);
    await write("And more");
    await expect.poll(texts).toEqual(["Hello", "And more"]);
  });

  it("comes again in its order, when several were waiting", async () => {
    signal.onReceive = () => new Promise(() => {});
    for (const text of ["one", "two", "three"]) await write(text);
    await expect.poll(texts).toEqual(["one"]);
    await signal.stop();
    signal.onReceive = async () => {};
    signal.received.splice(0);
    await signal.startAgain();
    await expect.poll(texts).toEqual(["one", "two", "three"]);
  });

  it("a received message does not come again after an orderly stop", async () => {
    await write("Hello");
    await expect.poll(texts).toEqual(["Hello"]);
    await signal.stop();
    await signal.startAgain();
    await write("And more");
    await expect.poll(texts).toEqual(["Hello", "And more"]);
  });

  it("offers a message again that Hermes could not keep, and nothing overtakes it", async () => {
    signal.onReceive = async () => {
      if (signal.received.length === 1) throw new Error("the store is busy");
    };
    await write("one");
    await write("two");
    await expect.poll(() => signal.logged.some((line) => line.startsWith("a message was not taken"))).toBe(true);
    expect(texts()).toEqual(["one"]);
    await signal.clock.advance(1_000);
    await expect.poll(texts).toEqual(["one", "one", "two"]);
  });

  it("a message written while the gateway was away comes when it is back", async () => {
    await signal.stop();
    await expect.poll(() => signal.emulator.isConnected).toBe(false);
    await write("Anybody?");
    await signal.startAgain();
    await expect.poll(texts).toEqual(["Anybody?"]);
  });
});

describe("a daemon that gets messages from Signal whether or not anybody reads", () => {
  beforeEach(() => signal.emulator.setFeed({ receiveMode: "on-start" }));

  it("repeats what came while the gateway was away, from behind what it had", async () => {
    await write("Hello");
    await expect.poll(texts).toEqual(["Hello"]);
    await signal.stop();
    await expect.poll(() => signal.emulator.isConnected).toBe(false);
    await write("Anybody?");
    await signal.startAgain();
    await expect.poll(texts).toEqual(["Hello", "Anybody?"]);
    expect(lastEventIds()).toEqual([null, expect.stringMatching(/^\d+-1$/)]);
  });

  it("repeats what was on its way when the connection was cut", async () => {
    await write("Hello");
    await expect.poll(texts).toEqual(["Hello"]);
    signal.emulator.feed.isMute = true;
    await write("Lost?");
    signal.emulator.feed.isMute = false;
    signal.emulator.feed.end();
    await expect.poll(() => signal.adapter.health().state).toBe("degraded");
    await signal.clock.advance(1_000);
    await expect.poll(texts).toEqual(["Hello", "Lost?"]);
  });
});

describe("starting", () => {
  it("the start does not wait for messages that an earlier process left", async () => {
    await dieWith("Hello");
    const held = gate();
    signal.onReceive = () => held.pass();
    await signal.startAgain();
    expect(signal.adapter.health()).toEqual({ state: "up" });
    held.open();
    await expect.poll(texts).toEqual(["Hello"]);
  });
});

describe("messages of several chats", () => {
  const file = [{ name: "a.txt", mediaType: "text/plain", content: "a" }];

  it("do not wait for a slow file of another chat; those behind it in its own chat do", async () => {
    signal.emulator.fail({ operation: "getAttachment", kind: { is: "hang" } });
    await signal.emulator.receive({ chatId: CHATS.ada, text: "Read this", files: file });
    await write("Done?");
    await write("Hello", CHATS.grace);
    await write("Hello, all", CHATS.group);
    await expect.poll(texts).toEqual(["Hello", "Hello, all"]);
    signal.emulator.heal();
    await expect.poll(texts).toEqual(["Hello", "Hello, all", "Read this", "Done?"]);
  });

  it("come with the file's name alone when that takes longer than 15 s twice", async () => {
    signal.emulator.fail({ operation: "getAttachment", times: 2, kind: { is: "hang" } });
    await signal.emulator.receive({ chatId: CHATS.ada, text: "Read this", files: file });
    const read = async () => {
      await signal.clock.advance(15_000);
      return texts();
    };
    await expect.poll(read).toEqual(["Read this"]);
    expect(signal.received[0]?.attachments).toEqual([
      { name: "a.txt", mediaType: "text/plain", size: 1, isLost: true },
    ]);
    signal.emulator.heal();
  });
});

describe("what is no message", () => {
  const from = { sourceUuid: CHATS.ada, sourceNumber: null, sourceName: "Ada", timestamp: 1 };
  const self = { sourceUuid: CHATS.noteToSelf, sourceNumber: null, timestamp: 1 };

  it.each([
    ["a receipt", { ...from, receiptMessage: { when: 1, isDelivery: true, timestamps: [1] } }],
    ["a typing sign", { ...from, typingMessage: { action: "STARTED", timestamp: 1 } }],
    ["a call", { ...from, callMessage: { offerMessage: { id: 1, type: "AUDIO_CALL", opaque: "" } } }],
    ["a story", { ...from, storyMessage: { allowsReplies: true, textAttachment: { text: "My day" } } }],
    ["a reaction", { ...from, dataMessage: { timestamp: 1, message: null, reaction: { emoji: "👍" } } }],
    ["a message that is deleted", { ...from, dataMessage: { timestamp: 2, remoteDelete: { timestamp: 1 } } }],
    ["a timer that is set", { ...from, dataMessage: { timestamp: 1, message: null, isExpirationUpdate: true } }],
    ["what was read on another device", { ...self, syncMessage: { readMessages: [{ sender: CHATS.ada }] } }],
    ["contacts that are synchronised", { ...self, syncMessage: { type: "CONTACTS_SYNC" } }],
    ["nothing at all", { ...from }],
  ])("the adapter ignores %s", async (_, envelope) => {
    signal.emulator.feed.push({ envelope });
    expect((await signal.heard({ chatId: CHATS.ada, text: "Hello" }))?.text).toBe("Hello");
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });

  it("unknown events are ignored and logged once", async () => {
    for (const event of [{ something: "else" }, "<html>", [1], { envelope: { ...from, timestamp: "noon" } }]) {
      signal.emulator.feed.push(event);
    }
    expect((await signal.heard({ chatId: CHATS.ada, text: "Hello" }))?.text).toBe("Hello");
    expect(signal.logged.filter((line) => line.includes("no event of signal-cli"))).toHaveLength(1);
  });
});

describe("a message with something in it that some version writes in another way", () => {
  it("a message with unreadable parts arrives without them", async () => {
    const fields = {
      mentions: [{ at: "somewhere" }],
      textStyles: "BOLD",
      attachments: [{ size: "large" }],
      quote: 5,
      contacts: {},
      pollCreate: "Lunch?",
    };
    expect(await signal.heard({ chatId: CHATS.ada, text: "Hello", fields })).toMatchObject({ text: "Hello" });
  });

  it("a message with an unknown group is not read as a private one", async () => {
    const fields = { groupInfo: { id: "unheard of" } };
    expect(await signal.heard({ chatId: CHATS.ada, text: "Hello", fields })).toBeUndefined();
  });
});
