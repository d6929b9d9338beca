import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, signal, startMatrix, threadOptions } from "../test/running-matrix.ts";

const ROOM = ROOMS.group;

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

const open = (mark = "mark", until = signal) =>
  matrix.adapter.createHandoffThread(ROOM, "Plan a trip", threadOptions(ROOM, mark, until));

function lastRelation(): unknown {
  return (matrix.calls("send").at(-1) as { "m.relates_to"?: unknown })["m.relates_to"];
}

describe("a thread for a handoff", () => {
  it("hangs on a message with the session's title, to which a link leads", async () => {
    const thread = await open();
    expect(matrix.emulator.threads(ROOM)).toMatchObject([{ id: thread.conversation.threadId, name: "Plan a trip" }]);
    expect(thread.link).toBe(
      `https://matrix.to/#/${encodeURIComponent(ROOM)}/${encodeURIComponent(thread.conversation.threadId ?? "")}?via=emulated.test`,
    );
  });

  it("a thread has the key of what a person writes in it, after a restart too", async () => {
    for (const chatId of [ROOM, ROOMS.direct]) {
      const { conversation } = await matrix.adapter.createHandoffThread(
        chatId,
        "A plan",
        threadOptions(chatId, chatId),
      );
      const threadId = conversation.threadId ?? "";
      const before = matrix.received.length;
      await matrix.emulator.receive({ chatId, threadId, text: "Hello" });
      await expect.poll(() => matrix.received.length).toBe(before + 1);
      await matrix.restart();
      await matrix.emulator.receive({ chatId, threadId, text: "Hello again" });
      await expect.poll(() => matrix.received.length).toBe(before + 2);
      const keys = matrix.received.slice(before).map((message) => buildSessionKey(message.conversation));
      expect(keys).toEqual([buildSessionKey(conversation), buildSessionKey(conversation)]);
    }
  });

  it("a thread's answer falls back to a reply for apps without threads", async () => {
    const { conversation } = await open();
    const root = conversation.threadId ?? "";
    const relation = (last: string) => ({
      rel_type: "m.thread",
      event_id: root,
      is_falling_back: true,
      "m.in_reply_to": { event_id: last },
    });
    const first = await matrix.adapter.send(conversation, { text: "One" }, sendOptions("1"));
    expect(lastRelation()).toEqual(relation(root));
    await matrix.adapter.send(conversation, { text: "Two" }, sendOptions("2"));
    expect(lastRelation()).toEqual(relation(first.messageId));
    const { messageId } = await matrix.emulator.receive({ chatId: ROOM, threadId: root, text: "And you?" });
    await matrix.adapter.send(conversation, { text: "Three" }, sendOptions("3"));
    expect(lastRelation()).toEqual(relation(messageId));
  });

  it("a thread is found by its mark only", async () => {
    const { conversation } = await open("mark 1");
    await open("mark 2");
    await matrix.restart();
    const find = (mark: string) => matrix.adapter.findThread({ chatId: ROOM }, mark, signal);
    expect((await find("mark 1"))?.conversation).toEqual(conversation);
    expect(await find("mark 3")).toBeNull();
  });

  it("a thread is opened once even if the first reply was lost", async () => {
    matrix.emulator.fail({ operation: "createThread", kind: { is: "drop-answer" } });
    await open();
    expect(matrix.emulator.threads(ROOM)).toHaveLength(1);
  });

  it("a thread is removed if the handoff was aborted meanwhile", async () => {
    matrix.emulator.fail({ operation: "createThread", kind: { is: "hang" } });
    const leaving = new AbortController();
    const opening = open("mark", leaving.signal);
    await matrix.emulator.receive({ chatId: ROOM, text: "meanwhile" });
    await expect.poll(() => matrix.received.length).toBe(1);
    leaving.abort();
    matrix.emulator.heal();
    await expect(opening).rejects.toThrow();
    expect(matrix.emulator.threads(ROOM)).toEqual([]);
  });

  it("cannot be begun where the bot may not write: the power level is named", async () => {
    matrix.emulator.setMayWrite(ROOM, false);
    const error = await open().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "PLATFORM_FORBIDDEN", hint: expect.stringContaining("power level") });
    expect(matrix.emulator.threads(ROOM)).toEqual([]);
  });
});

describe("a thread whose first message was removed", () => {
  it("a thread whose root was removed is reported as gone", async () => {
    const { conversation } = await open();
    matrix.emulator.removeThread(ROOM, conversation.threadId ?? "");
    await expect(matrix.adapter.send(conversation, { text: "?" }, sendOptions())).rejects.toMatchObject({
      code: "PLATFORM_THREAD_GONE",
    });
  });

  it("may be removed once more, with what the bot wrote in it", async () => {
    const thread = await open();
    await matrix.adapter.send(thread.conversation, { text: "Where we stand." }, sendOptions());
    await matrix.adapter.deleteThread(thread);
    expect(matrix.emulator.messages(ROOM, thread.conversation.threadId)).toEqual([]);
    expect(matrix.emulator.messages(ROOM)).toEqual([]);
    await expect(matrix.adapter.deleteThread(thread)).resolves.toBeUndefined();
  });
});

describe("a thread that a person begins", () => {
  it("a person's thread is its own conversation, with the room's session at first", async () => {
    const root = matrix.emulator.openThread(ROOM, "By the way");
    await matrix.emulator.receive({ chatId: ROOM, threadId: root, text: "What about this?" });
    await expect.poll(() => matrix.received.at(-1)).toMatchObject({ conversation: { threadId: root }, isBranch: true });
  });

  it("holds no replies by itself: only a real reply to the bot addresses it", async () => {
    const at = await matrix.adapter.homeConversation({ chatId: ROOM, shared: true });
    const { messageId } = await matrix.adapter.send(at, { text: "An answer." }, sendOptions());
    await matrix.emulator.receive({ chatId: ROOM, threadId: messageId, text: "In the thread." });
    await matrix.emulator.receive({ chatId: ROOM, threadId: messageId, replyTo: messageId, text: "A reply." });
    await expect.poll(() => matrix.received.length).toBe(2);
    expect(matrix.received.map(({ isAddressed }) => isAddressed === true)).toEqual([false, true]);
  });
});

describe("an edit in a thread", () => {
  it("belongs to the thread of the message that it changes", async () => {
    const { conversation } = await open();
    const threadId = conversation.threadId ?? "";
    const { messageId } = await matrix.emulator.receive({ chatId: ROOM, threadId, userId: ADA, text: "Helo" });
    await matrix.emulator.receive({ chatId: ROOM, userId: ADA, editOf: messageId, text: "Hello" });
    await expect
      .poll(() => matrix.received.at(-1))
      .toMatchObject({ messageId, isEdit: true, text: "Hello", conversation });
  });
});
