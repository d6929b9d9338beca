import { PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOT, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, startMatrix } from "../test/running-matrix.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

async function refusalOf(chatId: string, threadId?: string): Promise<PlatformError> {
  const home = { chatId, ...(threadId === undefined ? {} : { threadId }) };
  const error = await matrix.adapter.homeConversation(home).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PlatformError)) throw new Error(`a home was found, or ${error} thrown`);
  return error;
}

describe("a home channel", () => {
  it("may be named by an alias, and is known by its id", async () => {
    matrix.emulator.server.aliases.set("#hermes:emulated.test", ROOMS.group);
    expect(await matrix.adapter.homeConversation({ chatId: "#hermes:emulated.test" })).toMatchObject({
      chatId: ROOMS.group,
      kind: "group",
    });
    expect((await refusalOf("#nobody:emulated.test")).message).toContain("no room called #nobody:emulated.test");
  });

  it("the bot joins the home channel when it is invited", async () => {
    matrix.emulator.createRoom({ id: "!home:emulated.test" });
    matrix.emulator.invite("!home:emulated.test", "@anybody:elsewhere.test");
    expect(await matrix.adapter.homeConversation({ chatId: "!home:emulated.test" })).toMatchObject({ kind: "dm" });
    expect(matrix.emulator.server.room("!home:emulated.test")?.membership(BOT.userId)).toBe("join");
  });

  it("refuses a home channel that cannot be entered, with every likely cause", async () => {
    matrix.emulator.createRoom({ id: "!home:emulated.test" });
    const error = await refusalOf("!home:emulated.test");
    expect(error.code).toBe("PLATFORM_NOT_FOUND");
    expect(`${error.message} ${error.hint}`).toMatch(
      /id is wrong.*not been invited.*removed.*Invite @hermes:emulated.test/,
    );
  });

  it("a home channel where the bot may not write is refused with its power level", async () => {
    matrix.emulator.setMayWrite(ROOMS.group, false);
    const error = await refusalOf(ROOMS.group);
    expect(error.message).toContain("power level is 0, and 50 is needed");
    expect(error.hint).toContain("Roles & Permissions");
  });

  it("may be a thread, if that is there", async () => {
    const threadId = matrix.emulator.openThread(ROOMS.group, "Hermes");
    expect(await matrix.adapter.homeConversation({ chatId: ROOMS.group, threadId })).toMatchObject({ threadId });
    expect((await refusalOf(ROOMS.group, "$nothing")).code).toBe("PLATFORM_THREAD_GONE");
  });

  it("refuses a home channel that is encrypted in an unknown way", async () => {
    matrix.emulator.createRoom({
      id: "!odd:emulated.test",
      members: [BOT.userId],
      state: [{ type: "m.room.encryption", content: { algorithm: "m.future" } }],
    });
    expect((await refusalOf("!odd:emulated.test")).message).toContain("encrypted in a way that Hermes does not know");
  });
});
