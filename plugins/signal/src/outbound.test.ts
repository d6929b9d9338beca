import { type Conversation, PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, sendOptions, startSignal } from "../test/running-signal.ts";

let signal: RunningSignal;
let ada: Conversation;
let group: Conversation;
async function begin(options: Record<string, unknown> = {}): Promise<void> {
  signal = await startSignal(options);
  ada = await signal.adapter.homeConversation({ chatId: CHATS.ada });
  group = await signal.adapter.homeConversation({ chatId: CHATS.group });
}
beforeEach(() => begin());
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

function send(to: Conversation, markdown = "Hello **there**") {
  const [piece] = signal.adapter.render({ kind: "answer", markdown });
  return signal.adapter.send(to, piece ?? { text: "" }, sendOptions);
}

async function errorOf(work: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PlatformError);
  return error as PlatformError;
}

function said(chatId: string): string[] {
  return signal.emulator.messages(chatId).map(({ text }) => text);
}

describe("a message", () => {
  it("goes out with its styles beside it, and is known by its time", async () => {
    const receipt = await send(ada);
    expect(signal.calls("send")).toMatchObject([{ message: "Hello there", textStyles: ["6:5:BOLD"] }]);
    const [message] = signal.emulator.messages(CHATS.ada);
    expect(message?.id).toBe(`${PEOPLE.self.uuid}:${receipt.messageId}`);
    expect(receipt.sentAt).toBe(Number(receipt.messageId));
  });

  it("goes out once more as plain text when its styles are refused", async () => {
    signal.emulator.fail({ operation: "send", kind: { is: "refuse", code: "INVALID_STYLE" } });
    await send(ada);
    expect(signal.emulator.messages(CHATS.ada)).toMatchObject([{ text: "Hello there", raw: { styles: [] } }]);
    expect(signal.logged.join("\n")).toContain("goes out plain");
  });

  it("a message whose reply was lost is uncertain and not sent twice", async () => {
    signal.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    expect((await errorOf(send(ada))).code).toBe("PLATFORM_UNCERTAIN");
    expect(said(CHATS.ada)).toEqual(["Hello there"]);
  });

  it("may be sent again when nothing listened", async () => {
    await signal.emulator.close();
    expect(await errorOf(send(ada))).toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
  });
});

describe("a safety number that changed", () => {
  it("keeps a message from a person until somebody has looked, and says what to do", async () => {
    signal.emulator.setPerson(CHATS.ada, { isUntrusted: true });
    const error = await errorOf(send(ada));
    expect(error).toMatchObject({ code: "PLATFORM_FORBIDDEN", retryable: false });
    expect(error.message).toContain(`the safety number of ${PEOPLE.ada.uuid} changed`);
    expect(error.hint).toMatch(/signal-cli trust .*trustNewIdentities/);
    expect(said(CHATS.ada)).toEqual([]);
    expect(signal.calls("trust")).toEqual([]);
  });

  it("trustNewIdentities trusts a changed safety number and sends", async () => {
    await signal[Symbol.asyncDispose]();
    await begin({ trustNewIdentities: true });
    signal.emulator.setPerson(CHATS.ada, { isUntrusted: true });
    await send(ada);
    expect(said(CHATS.ada)).toEqual(["Hello there"]);
    expect(signal.calls("trust")).toMatchObject([{ recipient: PEOPLE.ada.uuid, trustAllKnownKeys: true }]);
  });

  it("trustNewIdentities sends nothing again that may have reached others of a group", async () => {
    await signal[Symbol.asyncDispose]();
    await begin({ trustNewIdentities: true });
    signal.emulator.setPerson(CHATS.grace, { isUntrusted: true });
    signal.emulator.fail({ operation: "send", kind: { is: "refuse", code: "NETWORK_FAILURE" } });
    expect((await errorOf(send(group))).code).toBe("PLATFORM_UNCERTAIN");
    expect(signal.calls("send")).toHaveLength(1);
  });

  it("a changed safety number in a group blocks that member alone, and is reported", async () => {
    signal.emulator.setPerson(CHATS.grace, { isUntrusted: true });
    await send(group);
    expect(said(CHATS.group)).toEqual(["Hello there"]);
    expect(signal.adapter.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining(CHATS.grace) });
    expect(signal.logged.join("\n")).toContain("not everybody got a message");
    signal.emulator.trust(CHATS.grace);
    await send(group);
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });
});

describe("what Signal refuses is told apart", () => {
  it.each([
    ["UNREGISTERED_FAILURE", "PLATFORM_NOT_FOUND", /is not registered with Signal/, /another one/],
    [
      "PROOF_REQUIRED_FAILURE",
      "PLATFORM_FORBIDDEN",
      /a captcha/,
      /submitRateLimitChallenge --challenge 4711-challenge/,
    ],
    ["TOO_MANY_REQUESTS", "PLATFORM_RATE_LIMITED", /asks Hermes to wait 60 s/, /Hermes then sends it/],
    ["NETWORK_FAILURE", "PLATFORM_UNCERTAIN", /connection of signal-cli to Signal failed/, /./],
    ["NOT_A_GROUP_MEMBER", "PLATFORM_FORBIDDEN", /not a member/, /Add it to the group/],
    ["SENDING_NOT_ALLOWED", "PLATFORM_FORBIDDEN", /only admins/, /Send messages/],
    ["UNAUTHORIZED", "PLATFORM_FORBIDDEN", /unlinked/, /signal-cli link/],
  ])("%s: %s", async (code, becomes, sentence, hint) => {
    signal.emulator.fail({ operation: "send", kind: { is: "refuse", code } });
    const error = await errorOf(send(ada));
    expect(error.code).toBe(becomes);
    expect(error.message).toMatch(sentence);
    expect(error.hint).toMatch(hint);
  });

  it("a rate limit has the delay that Signal names", async () => {
    signal.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 30_000 } });
    expect(await errorOf(send(ada))).toMatchObject({ code: "PLATFORM_RATE_LIMITED", retryAfterMs: 30_000 });
  });

  it("a missing path is reported as another daemon, not as a rate limit", async () => {
    signal.emulator.setDaemon({ flavour: "something else" });
    const error = await errorOf(send(ada));
    expect(error.code).toBe("PLATFORM_UNAVAILABLE");
    expect(error.message).toContain("signal-cli daemon --http");
  });
});

describe("a message that is changed", () => {
  it("an edit changes the text of the same message", async () => {
    const { messageId } = await send(ada, "One");
    await signal.adapter.edit(ada, messageId, { text: "One, two" }, sendOptions);
    expect(signal.emulator.messages(CHATS.ada)).toMatchObject([{ text: "One, two", isEdited: true }]);
    expect(signal.calls("send").at(-1)).toMatchObject({ editTimestamp: Number(messageId) });
  });

  it("an answer grows by eight edits at most, of the ten shown, with the last included", async () => {
    const { messageId } = await send(ada, "0");
    const edit = (text: string, key: string) => signal.adapter.edit(ada, messageId, { text }, { ...sendOptions, key });
    for (let count = 1; count <= 8; count++) await edit(`${count}`, "draft");
    expect((await errorOf(edit("9", "draft"))).retryAfterMs).toBeNull();
    await edit("The whole answer", "final");
    expect(said(CHATS.ada)).toEqual(["The whole answer"]);
  });

  it("edits that failed for sure do not count among the ten", async () => {
    const { messageId } = await send(ada, "0");
    const edit = (text: string) => signal.adapter.edit(ada, messageId, { text }, { ...sendOptions, key: "row" });
    signal.emulator.fail({ operation: "edit", times: 9, kind: { is: "rate-limit", retryAfterMs: 10 } });
    for (let count = 1; count <= 9; count++) await errorOf(edit("The whole answer"));
    await edit("The whole answer");
    expect(said(CHATS.ada)).toEqual(["The whole answer"]);
  });
});

describe("the sign that Hermes writes", () => {
  const { signal: never } = new AbortController();

  it("the typing indicator is shown, and removed once the message is sent", async () => {
    await signal.adapter.typing(ada, never);
    await signal.adapter.typing(group, never);
    expect(signal.calls("sendTyping")).toMatchObject([{ recipient: [CHATS.ada] }, { groupId: CHATS.group }]);
    await send(ada);
    await expect.poll(() => signal.calls("sendTyping").at(-1)).toMatchObject({ recipient: [CHATS.ada], stop: true });
    await send(ada);
    expect(signal.calls("sendTyping")).toHaveLength(3);
  });
});
