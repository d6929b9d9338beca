import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Conversation, PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningIMessage, sendOptions, startIMessage } from "../test/running-imessage.ts";

let imessage: RunningIMessage;
let ada: Conversation;
beforeEach(async () => {
  imessage = await startIMessage();
  ada = await imessage.adapter.homeConversation({ chatId: PEOPLE.ada });
});
afterEach(() => imessage[Symbol.asyncDispose]());

function send(text = "Hello", key = "key-1") {
  return imessage.adapter.send(ada, { text }, { ...sendOptions, key });
}

async function errorOf(work: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PlatformError);
  return error as PlatformError;
}

function said(): string[] {
  return imessage.emulator.messages(CHATS.ada).map(({ text }) => text);
}

describe("a message whose answer is lost", () => {
  it("a message that arrived is found by its words, and not sent again", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const { messageId } = await send();
    expect(await send()).toMatchObject({ messageId });
    expect(said()).toEqual(["Hello"]);
  });

  it("a message is not sent again while the server is busy with it", async () => {
    imessage.emulator.setMac({ sendTakesMs: 60_000 });
    const gone = new AbortController();
    const first = imessage.adapter.send(ada, { text: "Hello" }, { key: "key-1", signal: gone.signal });
    await expect.poll(() => imessage.emulator.world.sending.size).toBe(1);
    gone.abort();
    await first.catch(() => {});
    await imessage.clock.advance(15_000);
    expect((await errorOf(send())).code).toBe("PLATFORM_UNAVAILABLE");
    await imessage.clock.advance(60_000);
    await expect.poll(said).toEqual(["Hello"]);
    await send();
    expect(said()).toEqual(["Hello"]);
  });

  it("a message that never reached the server is sent again after a few seconds", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    expect((await errorOf(send())).code).toBe("PLATFORM_UNAVAILABLE");
    await imessage.clock.advance(15_000);
    await send();
    expect(said()).toEqual(["Hello"]);
  });

  it("the same words under another key are another message", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const first = await send("Yes", "key-1");
    const second = await send("Yes", "key-2");
    expect(second.messageId).not.toBe(first.messageId);
    expect(said()).toEqual(["Yes", "Yes"]);
  });

  it("the next process finds a message that was begun before a restart", async () => {
    const { messageId } = await send();
    await imessage.restart();
    expect(await imessage.adapter.findSent(ada, "key-1", sendOptions.signal)).toMatchObject({ messageId });
    expect(await imessage.adapter.findSent(ada, "key-2", sendOptions.signal)).toBeNull();
  });
});

describe("a message that fails", () => {
  it("a failure that shows late is reported, and an arrival too", async () => {
    const arrived = await send("One", "key-1");
    imessage.emulator.refuseLate(22, 1_000);
    const failed = await send("Two", "key-2");
    await imessage.clock.advance(6_000);
    const words = () => imessage.settled.map(({ messageId, refusal }) => [messageId, refusal?.code ?? null]);
    await expect.poll(words).toContainEqual([failed.messageId, "PLATFORM_NOT_FOUND"]);
    await expect.poll(words).toContainEqual([arrived.messageId, null]);
  });

  it("a failure that shows only after half a minute is reported after one", async () => {
    imessage.emulator.refuseLate(22, 30_000);
    const { messageId } = await send();
    await imessage.clock.advance(6_000);
    expect(imessage.settled).toEqual([]);
    await imessage.clock.advance(55_000);
    await expect.poll(() => imessage.settled).toMatchObject([{ messageId, refusal: { code: "PLATFORM_NOT_FOUND" } }]);
  });

  it("a failure that shows while no gateway runs is reported by the next one", async () => {
    imessage.emulator.refuseLate(22, 30_000);
    const { messageId } = await send();
    await imessage.kill();
    await imessage.clock.advance(120_000);
    await imessage.startAgain();
    await imessage.clock.advance(1_000);
    await expect.poll(() => imessage.settled).toMatchObject([{ messageId, refusal: { code: "PLATFORM_NOT_FOUND" } }]);
  });

  it("a Mac where nobody is signed in is named in the health until a message goes out", async () => {
    imessage.emulator.setMac({ isSignedIn: false });
    expect((await errorOf(send())).code).toBe("PLATFORM_UNAVAILABLE");
    expect(imessage.adapter.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("Sign in") });
    imessage.emulator.setMac({ isSignedIn: true });
    await send();
    expect(imessage.adapter.health().state).toBe("up");
  });

  it("a number without iMessage is not found", async () => {
    imessage.emulator.setReachable(PEOPLE.ada, false);
    const error = await errorOf(send());
    expect(error.code).toBe("PLATFORM_NOT_FOUND");
    expect(error.message).toContain("the person is not on iMessage");
  });
});

describe("a message that is changed", () => {
  const edit = (messageId: string, text: string, key = "draft") =>
    imessage.adapter.edit?.(ada, messageId, { text }, { ...sendOptions, key }) ?? Promise.reject(new Error("no edit"));

  it("an edit that failed while the Mac was away is made once it is there again", async () => {
    const { messageId } = await send("Half");
    imessage.emulator.fail({ operation: "edit", times: 4, kind: { is: "break" } });
    for (let count = 1; count <= 4; count++) await errorOf(edit(messageId, "Half and whole", "row"));
    await edit(messageId, "Half and whole", "row");
    expect(said()).toEqual(["Half and whole"]);
  });

  it("an answer grows by three edits that were made, however often others failed", async () => {
    const { messageId } = await send("0");
    for (const text of ["1", "2", "3"]) {
      imessage.emulator.fail({ operation: "edit", kind: { is: "refuse", code: "ALREADY_QUEUED" } });
      await errorOf(edit(messageId, `${text}?`));
      await edit(messageId, text);
    }
    expect((await errorOf(edit(messageId, "4"))).code).toBe("PLATFORM_REJECTED");
    await edit(messageId, "The whole answer", "final");
    expect(said()).toEqual(["The whole answer"]);
  });
});

describe("an SMS", () => {
  it("an SMS is not changed, and nothing waits for that", async () => {
    await imessage[Symbol.asyncDispose]();
    imessage = await startIMessage({ sms: true });
    const { adapter, calls } = imessage;
    const carl = await adapter.homeConversation({ chatId: `sms:${PEOPLE.carl}` });
    const { messageId } = await adapter.send(carl, { text: "One" }, sendOptions);
    const edited = adapter.edit?.(carl, messageId, { text: "One, two" }, sendOptions) ?? Promise.resolve();
    expect((await errorOf(edited)).code).toBe("PLATFORM_REJECTED");
    expect(calls("POST message/:guid/edit")).toEqual([]);
  });
});

describe("without the Private API", () => {
  it("nothing is edited or shown as typing, and messages are sent by the script", async () => {
    await imessage[Symbol.asyncDispose]();
    imessage = await startIMessage({}, (emulator) => emulator.setMac({ privateApi: false }));
    expect(imessage.adapter.edit).toBeUndefined();
    expect(imessage.adapter.typing).toBeUndefined();
    expect(imessage.adapter.capabilities.edits).toBe(false);
    await send();
    expect(imessage.calls("POST message/text")).toMatchObject([{ method: "apple-script" }]);
  });
});

describe("a Mac that gets macOS 26", () => {
  it("a message goes to the chat by its new id, and is not lost on the way", async () => {
    await send("One", "key-1");
    imessage.emulator.upgradeMac();
    imessage.emulator.setMac({ looksForMs: 0 });
    await send("Two", "key-2");
    await send("Three", "key-3");
    const chat = imessage.emulator.messages(`any;-;${PEOPLE.ada}`).map(({ text }) => text);
    expect(chat).toEqual(["One", "Two", "Three"]);
  });
});

it("a message that could not be written down before it is sent is sent later", async () => {
  const file = join(imessage.folder, "journal.jsonl");
  renameSync(file, `${file}.aside`);
  mkdirSync(file);
  const error = await errorOf(send());
  rmSync(file, { recursive: true });
  renameSync(`${file}.aside`, file);
  expect(error.code).toBe("PLATFORM_UNAVAILABLE");
  await send();
  expect(said()).toEqual(["Hello"]);
});
