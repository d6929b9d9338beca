import { type Conversation, textFile } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, signal, startMatrix } from "../test/running-matrix.ts";

let matrix: RunningMatrix;
let at: Conversation;
beforeEach(async () => {
  matrix = await startMatrix();
  at = await matrix.adapter.homeConversation({ chatId: ROOMS.direct });
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

const texts = () => matrix.emulator.messages(ROOMS.direct).map(({ text }) => text);

describe("a message", () => {
  it("a formatted message has a plain body and mentions nobody", async () => {
    const [piece] = matrix.adapter.render({ kind: "answer", markdown: "**Hello** @room" });
    await matrix.adapter.send(at, piece ?? { text: "" }, sendOptions());
    expect(matrix.calls("send").at(-1)).toEqual({
      msgtype: "m.text",
      body: "**Hello** @room",
      format: "org.matrix.custom.html",
      formatted_body: "<strong>Hello</strong> @room",
      "m.mentions": {},
    });
  });

  it("the same key sends one message, even after a restart", async () => {
    const send = () => matrix.adapter.send(at, { text: "Once." }, sendOptions("a key"));
    const first = await send();
    await matrix.restart();
    expect((await send()).messageId).toBe(first.messageId);
    expect(texts()).toEqual(["Once."]);
  });

  it("a send whose reply was lost can be tried again at once", async () => {
    matrix.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const send = () => matrix.adapter.send(at, { text: "Once." }, sendOptions());
    await expect(send()).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
    await send();
    expect(texts()).toEqual(["Once."]);
  });

  it("a rate-limited send waits as long as told, under the same transaction", async () => {
    matrix.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 2_345 } });
    const send = () => matrix.adapter.send(at, { text: "Slowly." }, sendOptions());
    await expect(send()).rejects.toMatchObject({ code: "PLATFORM_RATE_LIMITED", retryAfterMs: 2_345 });
    await send();
    expect(texts()).toEqual(["Slowly."]);
  });

  it("shows that the bot is writing before it comes", async () => {
    await matrix.adapter.typing(at, signal);
    expect(matrix.calls("typing")).toEqual([{ typing: true, timeout: 10_000 }]);
  });

  it("a message sent as a file comes under its name", async () => {
    const file = textFile("plan.md", "text/markdown", "# Rome");
    await matrix.adapter.send(at, { text: "", file }, { ...sendOptions(), content: Buffer.from("# Rome") });
    expect(matrix.emulator.messages(ROOMS.direct)).toMatchObject([{ fileNames: ["plan.md"], text: "plan.md" }]);
    const [stored] = matrix.emulator.server.media.values();
    expect(stored).toMatchObject({ mediaType: "text/markdown", content: Buffer.from("# Rome") });
  });
});

describe("an edit", () => {
  it("replaces the text, and says the whole of it only once", async () => {
    const { messageId } = await matrix.adapter.send(at, { text: "One" }, sendOptions());
    const long = `One, ${"and more, ".repeat(100)}`;
    const receipt = await matrix.adapter.edit(at, messageId, { text: long }, sendOptions());
    expect(receipt.messageId).toBe(messageId);
    expect(matrix.emulator.messages(ROOMS.direct)).toMatchObject([{ id: messageId, text: long, isEdited: true }]);
    const { body } = matrix.calls("send").at(-1) as { body: string };
    expect(body).toMatch(/^\* One/);
    expect(body.length).toBeLessThan(210);
  });

  it("each edit of a growing answer is a new one, under one key", async () => {
    const { messageId } = await matrix.adapter.send(at, { text: "One" }, sendOptions());
    for (const text of ["One, two", "One, two, three"]) {
      await matrix.adapter.edit(at, messageId, { text }, sendOptions("draft"));
    }
    expect(texts()).toEqual(["One, two, three"]);
  });

  it("an edit of a removed message reports that the message is not there", async () => {
    const { messageId } = await matrix.adapter.send(at, { text: "One" }, sendOptions());
    matrix.emulator.removeThread(ROOMS.direct, messageId);
    await expect(matrix.adapter.edit(at, messageId, { text: "Two" }, sendOptions())).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
    });
  });
});

describe("an answer of any length", () => {
  it.each([
    ["quotes and backslashes", '"\\\\" <&> '],
    ["short links", "[a](https://x.yz) "],
    ["a list", "- *a* **b**\n"],
  ])("cuts an answer of %s into events that fit", async (_, part) => {
    const pieces = matrix.adapter.render({ kind: "answer", markdown: part.repeat(4_000) });
    expect(pieces.length).toBeGreaterThan(1);
    for (const [index, piece] of pieces.entries()) await matrix.adapter.send(at, piece, sendOptions(`${index}`));
    expect(texts()).toHaveLength(pieces.length);
  });
});
