import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOMS } from "./emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix } from "./testing/running-matrix.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

describe("an encrypted room", () => {
  it("holds what the bot sends, encrypted for the people in it", async () => {
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.encryptedDirect });
    await matrix.adapter.send(at, { text: "A secret." }, sendOptions());
    expect(matrix.emulator.messages(ROOMS.encryptedDirect)).toMatchObject([{ text: "A secret." }]);
  });
});
