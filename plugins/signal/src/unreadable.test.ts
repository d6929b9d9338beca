import { afterEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, startSignal } from "../test/running-signal.ts";

let signal: RunningSignal;
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

async function begin(options: Record<string, unknown>): Promise<void> {
  signal = await startSignal(options);
}

function pushUnreadable(type: string): void {
  const { uuid: sourceUuid, number: sourceNumber } = PEOPLE.ada;
  const exception = { message: "no session", type };
  signal.emulator.feed.push({ envelope: { sourceUuid, sourceNumber, timestamp: 1 }, exception });
}

function texts(): string[] {
  return signal.received.map(({ text }) => text);
}

const home = { homeChannel: PEOPLE.ada.number };

describe("a message from somebody whose safety number changed", () => {
  it("a changed safety number shows in the health until it is confirmed", async () => {
    await begin(home);
    signal.emulator.setPerson(CHATS.ada, { isUntrusted: true });
    await signal.emulator.receive({ chatId: CHATS.ada, text: "From my new phone" });
    await expect.poll(() => signal.adapter.health().state).toBe("degraded");
    expect(signal.adapter.health().detail).toMatch(
      /^Not everything that people write can be read: .*safety number of 11111111-\S+ changed.*signal-cli trust/,
    );
    expect(texts()).toEqual([]);
    signal.emulator.trust(CHATS.ada);
    await expect.poll(texts).toEqual(["From my new phone"]);
    expect(signal.adapter.health()).toEqual({ state: "up" });
    expect(signal.calls("trust")).toEqual([]);
  });

  it("comes by itself where the config trusts new safety numbers", async () => {
    await begin({ ...home, trustNewIdentities: true });
    signal.emulator.setPerson(CHATS.ada, { isUntrusted: true });
    await signal.emulator.receive({ chatId: CHATS.ada, text: "From my new phone", hidesNumber: true });
    await expect.poll(texts).toEqual(["From my new phone"]);
    expect(signal.calls("trust")).toMatchObject([{ recipient: CHATS.ada, trustAllKnownKeys: true }]);
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });

  it("a stranger's message is ignored, and nobody is trusted for it", async () => {
    await begin({ homeChannel: PEOPLE.grace.number, trustNewIdentities: true });
    signal.emulator.setPerson(CHATS.ada, { isUntrusted: true });
    await signal.emulator.receive({ chatId: CHATS.ada, text: "It is me" });
    await expect.poll(() => signal.logged.join("\n")).toContain("a message cannot be read");
    expect((await signal.heard({ chatId: CHATS.grace, text: "Hello" }))?.text).toBe("Hello");
    expect(signal.calls("trust")).toEqual([]);
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });
});

describe("a message that cannot be decrypted", () => {
  it("an undecryptable message shows in the health until the next readable one", async () => {
    await begin({ allowedUsers: [CHATS.ada] });
    pushUnreadable("ProtocolNoSessionException");
    await expect.poll(() => signal.adapter.health().state).toBe("degraded");
    expect(signal.adapter.health().detail).toMatch(
      /could not be decrypted \(ProtocolNoSession.*--end-session 11111111-/,
    );
    await signal.heard({ chatId: CHATS.grace, text: "I am somebody else" });
    expect(signal.adapter.health().state).toBe("degraded");
    await signal.heard({ chatId: CHATS.ada, text: "Again" });
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });

  it("a duplicate that cannot be decrypted is ignored", async () => {
    await begin({ allowedUsers: ["*"] });
    pushUnreadable("ProtocolDuplicateMessageException");
    await signal.heard({ chatId: CHATS.grace, text: "Hello" });
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });
});
