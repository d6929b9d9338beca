import { type Conversation, type OutboundFile, textFile } from "@hermes/core";
import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningSignal, sendOptions, startSignal } from "../test/running-signal.ts";
import { attachmentOf, LARGEST_FILE } from "./attachment.ts";

let signal: RunningSignal;
let ada: Conversation;
beforeEach(async () => {
  signal = await startSignal();
  ada = await signal.adapter.homeConversation({ chatId: CHATS.ada });
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

async function send(file: OutboundFile, content: Uint8Array) {
  for (const piece of signal.adapter.render({ kind: "answer", markdown: "", files: [file] })) {
    await signal.adapter.send(ada, piece, { ...sendOptions, content });
  }
  return signal.emulator.messages(CHATS.ada).at(-1);
}

const kept = (name: string, mediaType: string, { length }: Uint8Array): OutboundFile => {
  return { name, mediaType, size: length, hash: "0".repeat(64) };
};

describe("a file", () => {
  it.each([
    ["a PDF", "plan.pdf", "application/pdf", PDF_FILE, false],
    ["a picture", "cat.png", "image/png", PNG_FILE, true],
    [
      "a file of all bytes",
      "all.bin",
      "application/octet-stream",
      Uint8Array.from({ length: 256 }, (_, at) => at),
      false,
    ],
  ])("%s arrives byte for byte, in one message with its caption", async (_, name, mediaType, content, isPicture) => {
    const message = await send({ ...kept(name, mediaType, content), caption: "As you asked." }, content);
    expect(message).toMatchObject({ text: "As you asked.", fileNames: [name] });
    expect(message?.files).toEqual([{ name, mediaType, content: Buffer.from(content), isPicture }]);
  });

  it.each([
    ["signs of data URIs", 'data:a;b,c="d"&100%+1;base64,.txt'],
    ["several scripts", "Grüße an שלום 猫.txt"],
    ["what looks encoded", "%41.txt"],
    ["many letters", `${"long ".repeat(60)}.txt`],
  ])("a file keeps its name, also one with %s", async (_, name) => {
    const message = await send(textFile(name, "text/plain; charset=utf-8", "ü"), Buffer.from("ü"));
    expect(message?.files).toMatchObject([{ name, mediaType: "text/plain", content: Buffer.from("ü") }]);
  });

  it("a name leads into no folder, and holds nothing that cannot be seen", async () => {
    const message = await send(textFile("../a\\b\r\nc.txt", "text/plain", "a"), Buffer.from("a"));
    expect(message?.fileNames).toEqual([".._a_b__c.txt"]);
  });

  it("the largest file that is claimed gets through, and a larger one is not sent", { timeout: 90_000 }, async () => {
    const largest = Buffer.alloc(LARGEST_FILE, 7);
    const message = await send(kept("猫".repeat(255), "application/zip", largest), largest);
    expect(message?.files?.[0]?.content.length).toBe(LARGEST_FILE);
    const sends = signal.calls("send").length;
    const tooLarge = Buffer.alloc(15_000_000);
    await expect(send(kept("a.zip", "application/zip", tooLarge), tooLarge)).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
    });
    expect(signal.calls("send")).toHaveLength(sends);
  });

  it("the daemon fails on a longer text than its parser takes, as the real one does", { timeout: 90_000 }, async () => {
    const attachment = `${attachmentOf(kept("a", "a/b", Buffer.from("a")), Buffer.from("a"))}${"A".repeat(20_000_000)}`;
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "send",
      params: { recipient: [CHATS.ada], attachments: [attachment] },
    };
    const response = await fetch(`${signal.emulator.url}/api/v1/rpc`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.text()]).toEqual([500, ""]);
  });

  it("a size that Signal refuses is told once, and not taken for a rate limit", async () => {
    signal.emulator.fail({ operation: "send", kind: { is: "refuse", code: "CONTENT_TOO_LARGE" } });
    await expect(send(kept("a.png", "image/png", PNG_FILE), PNG_FILE)).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      retryable: false,
    });
  });
});
