import type { Conversation, OutboundFile } from "@hermes/core";
import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix } from "../test/running-matrix.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

const home = (chatId: string): Promise<Conversation> => matrix.adapter.homeConversation({ chatId });

const fileOf = (name: string, mediaType: string, { length }: Uint8Array): OutboundFile => {
  return { name, mediaType, size: length, hash: "0".repeat(64) };
};

async function send(at: Conversation, file: OutboundFile, content: Uint8Array, caption = "") {
  for (const piece of matrix.adapter.render({ kind: "answer", markdown: "", files: [{ ...file, caption }] })) {
    await matrix.adapter.send(at, piece, { ...sendOptions(), content });
  }
  return matrix.emulator.messages(at.chatId).at(-1);
}

describe("a file", () => {
  it.each([
    ["a room", ROOMS.direct],
    ["an encrypted room", ROOMS.encrypted],
  ])("a PDF arrives in %s byte for byte, in one message with its caption", async (_, chatId) => {
    const message = await send(await home(chatId), fileOf("plan.pdf", "application/pdf", PDF_FILE), PDF_FILE, "Here.");
    expect(message).toMatchObject({ text: "Here.", fileNames: ["plan.pdf"] });
    const file = { name: "plan.pdf", mediaType: "application/pdf", content: PDF_FILE, isPicture: false };
    expect(message?.files).toEqual([file]);
    const [stored] = matrix.emulator.server.media.values();
    const isClear = chatId === ROOMS.direct;
    expect([stored?.name, stored?.mediaType]).toEqual(
      isClear ? ["plan.pdf", "application/pdf"] : [undefined, "application/octet-stream"],
    );
    expect(stored?.content.equals(PDF_FILE)).toBe(isClear);
  });

  it.each([
    ["a room", ROOMS.direct],
    ["an encrypted room", ROOMS.encrypted],
  ])("a picture is shown as one in %s, in its size", async (_, chatId) => {
    const message = await send(await home(chatId), fileOf("猫 & cat.png", "image/png", PNG_FILE), PNG_FILE);
    expect(message?.files).toEqual([
      { name: "猫 & cat.png", mediaType: "image/png", content: PNG_FILE, isPicture: true },
    ]);
    if (chatId !== ROOMS.direct) return;
    const info = { mimetype: "image/png", size: PNG_FILE.length, w: 1, h: 1 };
    expect(matrix.calls("send").at(-1)).toMatchObject({ msgtype: "m.image", body: "猫 & cat.png", info });
  });

  it("the largest file is what the homeserver says, and it is asked at each start", async () => {
    expect(matrix.adapter.capabilities.files).toEqual({ largest: 50 * 1024 ** 2 });
    matrix.emulator.server.largestUpload = 1_000;
    await matrix.restart();
    expect(matrix.adapter.capabilities.files).toEqual({ largest: 1_000 });
  });

  it("a bot starts although the homeserver does not say how large files may be", async () => {
    matrix.emulator.fail({ operation: "mediaConfig", kind: { is: "break" } });
    await matrix.restart();
    expect(matrix.adapter.capabilities.files).toEqual({ largest: 50 * 1024 ** 2 });
    await send(await home(ROOMS.direct), fileOf("plan.pdf", "application/pdf", PDF_FILE), PDF_FILE);
  });

  it("a file that is too large for the homeserver is refused, and nothing is written", async () => {
    const at = await home(ROOMS.direct);
    matrix.emulator.server.largestUpload = 10;
    await expect(send(at, fileOf("cat.png", "image/png", PNG_FILE), PNG_FILE)).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      retryable: false,
    });
    expect(matrix.emulator.messages(ROOMS.direct)).toEqual([]);
  });

  it("an upload that failed is tried again, and gives one message", async () => {
    const at = await home(ROOMS.direct);
    const file = fileOf("cat.png", "image/png", PNG_FILE);
    matrix.emulator.fail({ operation: "upload", kind: { is: "break" } });
    await expect(send(at, file, PNG_FILE)).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
    matrix.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(send(at, file, PNG_FILE)).rejects.toMatchObject({ retryable: true });
    await send(at, file, PNG_FILE);
    expect(matrix.emulator.messages(ROOMS.direct)).toHaveLength(1);
  });
});
