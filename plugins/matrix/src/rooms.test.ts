import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOT, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix, threadOptions } from "../test/running-matrix.ts";

const NEW = "!new:emulated.test";
const STRANGER = "@stranger:elsewhere.test";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix({ allowedUsers: [ADA] });
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

const isIn = (roomId: string) => matrix.emulator.server.room(roomId)?.membership(BOT.userId) === "join";

/** Resolves when the bot has taken up everything until now. */
async function isAbreast(): Promise<void> {
  const before = matrix.received.length;
  await matrix.emulator.receive({ chatId: ROOMS.direct, text: "Are you there?" });
  await expect.poll(() => matrix.received.length).toBe(before + 1);
}

describe("an invitation", () => {
  it("an invitation by somebody who is allowed is accepted", async () => {
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, ADA);
    await expect.poll(() => isIn(NEW)).toBe(true);
  });

  it("an invitation by a stranger is left alone, without a word", async () => {
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, STRANGER);
    await isAbreast();
    expect(matrix.emulator.server.room(NEW)?.membership(BOT.userId)).toBe("invite");
    expect(matrix.calls("join")).toEqual([]);
  });

  it("an invitation by somebody whose account is linked to a person is accepted", async () => {
    matrix.identities.isLinked = async (id) => id === STRANGER;
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, STRANGER);
    await expect.poll(() => isIn(NEW)).toBe(true);
  });

  it("the bot accepts no invitation while the config allows nobody", async () => {
    await matrix[Symbol.asyncDispose]();
    matrix = await startMatrix({ allowedUsers: [] });
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, ADA);
    await isAbreast();
    expect(isIn(NEW)).toBe(false);
  });

  it("an invitation into the config's home room is accepted, whoever sends it", async () => {
    await matrix[Symbol.asyncDispose]();
    matrix = await startMatrix({ allowedUsers: [], homeChannel: NEW });
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, STRANGER);
    await expect.poll(() => isIn(NEW)).toBe(true);
  });

  it("accepts an invitation later that could not be accepted for a moment", async () => {
    matrix.emulator.fail({ operation: "join", kind: { is: "break" } });
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, ADA);
    await expect.poll(() => matrix.logged.join("\n")).toContain("could not be entered");
    await isAbreast();
    await expect.poll(() => isIn(NEW)).toBe(true);
  });

  it("accepts the invitation of somebody who is allowed only later", async () => {
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, STRANGER);
    await isAbreast();
    await matrix.restart({ allowedUsers: [ADA, STRANGER] });
    await expect.poll(() => isIn(NEW)).toBe(true);
  });

  it("accepts at the start an invitation that came while no gateway ran", async () => {
    await matrix.stop();
    matrix.emulator.createRoom({ id: NEW });
    matrix.emulator.invite(NEW, ADA);
    await matrix.restart();
    await expect.poll(() => isIn(NEW)).toBe(true);
  });
});

describe("a room that the bot is removed from", () => {
  it("a room that removed the bot gets no message, and no late answer after an invite", async () => {
    const { emulator, adapter } = matrix;
    const home = await adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    emulator.leave(ROOMS.group, BOT.userId);
    await isAbreast();
    await expect(adapter.send(home, { text: "?" }, sendOptions())).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      hint: expect.stringContaining("a moderator invites it"),
    });
    await emulator.receive({ chatId: ROOMS.group, text: "Among ourselves." });
    emulator.invite(ROOMS.group, ADA);
    await expect.poll(() => isIn(ROOMS.group)).toBe(true);
    await emulator.receive({ chatId: ROOMS.group, text: "Welcome back." });
    await expect.poll(() => matrix.received.map(({ text }) => text)).toEqual(["Are you there?", "Welcome back."]);
    await adapter.send(home, { text: "Thank you." }, sendOptions("2"));
    expect(emulator.messages(ROOMS.group).at(-1)?.text).toBe("Thank you.");
  });

  it("treats a room it is brought back to without an invitation as newly joined", async () => {
    const { emulator } = matrix;
    const room = emulator.server.room(ROOMS.group) ?? expect.fail("there is no room");
    emulator.leave(ROOMS.group, BOT.userId);
    await isAbreast();
    emulator.fail({ operation: "connect", kind: { is: "break" } });
    emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await expect.poll(() => matrix.adapter.health().state).toBe("down");
    await emulator.receive({ chatId: ROOMS.group, text: "Among ourselves." });
    emulator.server.setMembership(room, BOT.userId, "join");
    await emulator.receive({ chatId: ROOMS.group, text: "Welcome back." });
    await expect
      .poll(async () => {
        await matrix.clock.advance(1_000);
        return matrix.received.map(({ text }) => text);
      })
      .toEqual(["Are you there?", "Welcome back."]);
  });
});

describe("a room that is upgraded", () => {
  it("messages in an upgraded room keep the key of the old room", async () => {
    const home = await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    const next = matrix.emulator.upgradeRoom(ROOMS.group);
    await expect.poll(() => isIn(next)).toBe(true);
    await matrix.emulator.receive({ chatId: next, text: "Here now." });
    await expect.poll(() => matrix.received.length).toBe(1);
    const key = () => matrix.received.at(-1)?.conversation;
    expect(key()).toEqual(home);
    await matrix.restart();
    await matrix.emulator.receive({ chatId: next, text: "Still here." });
    await expect.poll(() => matrix.received.length).toBe(2);
    expect(key()).toEqual(home);
  });

  it("answers go to the upgraded room, and threads of the old one are gone", async () => {
    const home = await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    const thread = await matrix.adapter.createHandoffThread(ROOMS.group, "A plan", threadOptions(ROOMS.group));
    const next = matrix.emulator.upgradeRoom(ROOMS.group);
    await expect.poll(() => isIn(next)).toBe(true);
    await matrix.emulator.receive({ chatId: next, text: "Here now." });
    await expect.poll(() => matrix.received.length).toBe(1);
    await matrix.adapter.send(home, { text: "There." }, sendOptions());
    expect(matrix.emulator.messages(next).map(({ text }) => text)).toEqual(["Here now.", "There."]);
    await expect(matrix.adapter.send(thread.conversation, { text: "?" }, sendOptions("2"))).rejects.toMatchObject({
      code: "PLATFORM_THREAD_GONE",
    });
    expect(await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true })).toEqual(home);
  });

  it("the bot joins an upgraded public room without an invitation", async () => {
    const next = matrix.emulator.upgradeRoom(ROOMS.group, { isPublic: true });
    await expect.poll(() => isIn(next)).toBe(true);
    await matrix.emulator.receive({ chatId: next, text: "Here now." });
    await expect.poll(() => matrix.received.at(-1)?.conversation.chatId).toBe(ROOMS.group);
  });

  it("the bot follows a room that was upgraded while no gateway ran", async () => {
    const home = await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    await matrix.stop();
    const next = matrix.emulator.upgradeRoom(ROOMS.group);
    await matrix.restart({ homeChannel: { chatId: ROOMS.group, shared: true } });
    await expect.poll(() => isIn(next)).toBe(true);
    await matrix.emulator.receive({ chatId: next, text: "Here now." });
    await expect.poll(() => matrix.received.at(-1)?.conversation).toEqual(home);
    await matrix.adapter.send(home, { text: "There." }, sendOptions());
    expect(matrix.emulator.messages(next).map(({ text }) => text)).toEqual(["Here now.", "There."]);
  });

  it("a room that falsely claims a predecessor does not replace it", async () => {
    matrix.emulator.createRoom({
      id: NEW,
      state: [{ type: "m.room.create", content: { predecessor: { room_id: ROOMS.group } } }],
    });
    matrix.emulator.invite(NEW, ADA);
    await expect.poll(() => isIn(NEW)).toBe(true);
    await matrix.emulator.receive({ chatId: NEW, text: "Believe me." });
    await expect.poll(() => matrix.received.at(-1)?.conversation.chatId).toBe(NEW);
  });
});

describe("the kind of a room", () => {
  it("a room is direct with the bot and one other; even an invited third makes a group", async () => {
    expect((await matrix.adapter.homeConversation({ chatId: ROOMS.direct })).kind).toBe("dm");
    matrix.emulator.invite(ROOMS.direct, ADA, "@bo:emulated.test");
    await isAbreast();
    expect(matrix.received.at(-1)?.conversation.kind).toBe("group");
    expect((await matrix.adapter.homeConversation({ chatId: ROOMS.direct })).kind).toBe("group");
  });

  it("stays a group for a home that is shared, also when all but one have left it", async () => {
    const home = await matrix.adapter.homeConversation({ chatId: ROOMS.group, shared: true });
    matrix.emulator.leave(ROOMS.group, "@bo:emulated.test");
    await matrix.emulator.receive({ chatId: ROOMS.group, text: "Alone." });
    await expect.poll(() => matrix.received.length).toBe(1);
    expect(buildSessionKey(matrix.received[0]?.conversation ?? home)).toBe(buildSessionKey(home));
  });
});
