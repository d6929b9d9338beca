import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, sendOptions, startSignal } from "../test/running-signal.ts";

const chatId = CHATS.noteToSelf;

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

function home() {
  return signal.adapter.homeConversation({ chatId });
}

describe("the notes to oneself", () => {
  it("answers in the notes to oneself what the owner writes there from a phone", async () => {
    const message = await signal.heard({ chatId, text: "Remember the milk" });
    expect(message).toMatchObject({ text: "Remember the milk", sender: { id: PEOPLE.self.uuid } });
    expect(message?.conversation).toEqual(await home());
    await signal.adapter.send(await home(), { text: "I will" }, sendOptions);
    expect(signal.calls("send")).toMatchObject([{ noteToSelf: true, message: "I will" }]);
  });

  it("notes to oneself are one chat, by number or service id", async () => {
    expect(await signal.adapter.homeConversation({ chatId: PEOPLE.self.number })).toEqual(await home());
  });

  it("notes to oneself arrive if only the service id names the recipient", async () => {
    const note = { timestamp: 5, message: "Hidden", destination: null, destinationNumber: null };
    const sentMessage = { ...note, destinationUuid: PEOPLE.self.uuid };
    const source = { sourceNumber: null, sourceUuid: PEOPLE.self.uuid, timestamp: 5 };
    signal.emulator.feed.push({ envelope: { ...source, syncMessage: { sentMessage } } });
    await expect.poll(() => signal.received.map(({ text }) => text)).toEqual(["Hidden"]);
  });

  it("notes to oneself arrive if only the number names the recipient", async () => {
    const note = { timestamp: 5, message: "By number", destination: PEOPLE.self.number, destinationUuid: null };
    const sentMessage = { ...note, destinationNumber: PEOPLE.self.number };
    const source = { sourceNumber: PEOPLE.self.number, sourceUuid: PEOPLE.self.uuid, timestamp: 5 };
    signal.emulator.feed.push({ envelope: { ...source, syncMessage: { sentMessage } } });
    await expect.poll(() => signal.received.map(({ text }) => text)).toEqual(["By number"]);
  });

  it("tells the owner's message from an identical one by Hermes after a lost reply", async () => {
    signal.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const at = await home();
    await expect(signal.adapter.send(at, { text: "Done" }, sendOptions)).rejects.toMatchObject({
      code: "PLATFORM_UNCERTAIN",
    });
    await signal.stop();
    await signal.startAgain();
    for (let times = 0; times < 2; times++) {
      expect(await signal.heard({ chatId, text: "Done", isOwn: true })).toBeUndefined();
    }
    expect(await signal.heard({ chatId, text: "Done" })).toMatchObject({ text: "Done" });
  });

  it("ignores Hermes' own notes when they come back, so that it never answers itself", async () => {
    await signal.adapter.send(await home(), { text: "An answer" }, sendOptions);
    expect(await signal.heard({ chatId, text: "An answer", isOwn: true })).toBeUndefined();
    // The same words by the owner are the owner's.
    expect(await signal.heard({ chatId, text: "An answer" })).toMatchObject({ text: "An answer" });
  });

  it("ignores its own notes during the send, after a restart and after an edit", async () => {
    const at = await home();
    const sentAt = async (text: string) => (await signal.adapter.send(at, { text }, sendOptions)).messageId;
    const held = gate();
    signal.emulator.fail({ operation: "send", kind: { is: "hang" } });
    const sending = sentAt("On its way").then(held.open);
    await expect.poll(() => signal.emulator.log.length).toBeGreaterThan(0);
    pushOwn({ timestamp: 4711, message: "On its way" });
    await signal.heard({ chatId: CHATS.ada, text: "Meanwhile" });
    signal.emulator.heal();
    await sending;
    const timestamp = Number(await sentAt("Half"));
    await signal.adapter.edit(at, String(timestamp), { text: "Half and half" }, sendOptions);
    await signal.stop();
    await signal.startAgain();
    pushOwn({ timestamp, message: "Half" });
    const dataMessage = { timestamp: timestamp + 1, message: "Half and half" };
    pushOwn({ editMessage: { targetSentTimestamp: timestamp, dataMessage } });
    expect(await signal.heard({ chatId, text: "And now?" })).toMatchObject({ text: "And now?" });
    expect(signal.received.map(({ text }) => text)).not.toContain("On its way");
  });

  it("show nobody that Hermes writes", async () => {
    await signal.adapter.typing(await home(), new AbortController().signal);
    expect(signal.calls("sendTyping")).toEqual([]);
  });
});

/** What the daemon says of a message that the account wrote into its notes. */
function pushOwn(written: object): void {
  const { uuid, number } = PEOPLE.self;
  const sentMessage = { destinationUuid: uuid, destinationNumber: number, ...written };
  const source = { sourceUuid: uuid, sourceNumber: number, timestamp: 1 };
  signal.emulator.feed.push({ envelope: { ...source, syncMessage: { sentMessage } } });
}
