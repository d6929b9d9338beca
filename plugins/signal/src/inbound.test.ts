import { buildSessionKey, type InboundMessage } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, sendOptions, startSignal } from "../test/running-signal.ts";

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

function keyOf(message: InboundMessage | undefined): string | undefined {
  return message && buildSessionKey(message.conversation);
}

describe("who writes", () => {
  it("a sender is known by service id, with the number as an alias", async () => {
    const message = await signal.heard({ chatId: CHATS.ada, text: "Hello" });
    expect(message?.sender).toMatchObject({ id: PEOPLE.ada.uuid, aliases: [PEOPLE.ada.number], name: "Ada" });
  });

  it("a sender with a hidden number keeps their id and conversation", async () => {
    const [open, hidden] = [
      await signal.heard({ chatId: CHATS.ada, text: "Hello" }),
      await signal.heard({ chatId: CHATS.ada, text: "Hello again", hidesNumber: true }),
    ];
    expect(hidden?.sender.id).toBe(PEOPLE.ada.uuid);
    expect(keyOf(hidden)).toBe(keyOf(open));
    expect(keyOf(hidden)).toBe(`agent:main:signal:dm:${PEOPLE.ada.uuid}`);
  });

  it("knows a person by the number in the config if nothing else tells it", async () => {
    await signal[Symbol.asyncDispose]();
    signal = await startSignal({ allowedUsers: [PEOPLE.grace.number] }, (emulator) => {
      emulator.setPerson(CHATS.ada, { isKnown: false });
      emulator.setPerson(CHATS.grace, { isKnown: false });
    });
    const from = (userId: string) => signal.heard({ chatId: userId, text: "Hello", hidesNumber: true });
    expect((await from(CHATS.grace))?.sender.aliases).toEqual([PEOPLE.grace.number]);
    expect((await from(CHATS.ada))?.sender.aliases).toBeUndefined();
  });

  it("knows a person by the number in the config if Signal was down at the start", async () => {
    await signal[Symbol.asyncDispose]();
    signal = await startSignal({ allowedUsers: [PEOPLE.ada.number] }, (emulator) => {
      emulator.setPerson(CHATS.ada, { isKnown: false });
      emulator.fail({ operation: "getUserStatus", kind: { is: "break" } });
    });
    const heard = () => signal.heard({ chatId: CHATS.ada, text: "Hello", hidesNumber: true });
    expect((await heard())?.sender.aliases).toBeUndefined();
    expect(signal.calls("getUserStatus")).toHaveLength(1);
    await signal.clock.advance(30_000);
    expect((await heard())?.sender.aliases).toEqual([PEOPLE.ada.number]);
  });

  it("a sender is answered under the service id", async () => {
    const message = await signal.heard({ chatId: CHATS.ada, text: "Hello", hidesNumber: true });
    await signal.adapter.send(message?.conversation ?? Object(null), { text: "Hello, Ada" }, sendOptions);
    expect(signal.calls("send")).toMatchObject([{ recipient: [PEOPLE.ada.uuid] }]);
  });

  it("an echo of the account's own message is ignored", async () => {
    const dataMessage = { timestamp: 1, message: "An echo", groupInfo: { groupId: CHATS.group } };
    const { uuid: sourceUuid, number: sourceNumber } = PEOPLE.self;
    for (const source of [{ sourceUuid }, { sourceNumber }]) {
      signal.emulator.feed.push({ envelope: { ...source, timestamp: 1, dataMessage } });
    }
    expect((await signal.heard({ chatId: CHATS.group, text: "Hello" }))?.text).toBe("Hello");
  });

  it("Hermes ignores what the owner writes to others from another device", async () => {
    expect(await signal.heard({ chatId: CHATS.ada, text: "See you", isOwn: true })).toBeUndefined();
    expect(await signal.heard({ chatId: CHATS.group, text: "See you", isOwn: true })).toBeUndefined();
  });
});

describe("a group", () => {
  it("a group id is the same in both base64 alphabets", async () => {
    const home = await signal.adapter.homeConversation({
      chatId: CHATS.group.replaceAll("+", "-").replaceAll("/", "_"),
    });
    const message = await signal.heard({ chatId: CHATS.group, text: "Hello" });
    expect(keyOf(message)).toBe(buildSessionKey(home));
    expect(message).toMatchObject({ conversation: { kind: "group", chatId: CHATS.group }, chatName: "The team" });
  });

  it("all who write in a group share one conversation", async () => {
    const [first, second] = [
      await signal.heard({ chatId: CHATS.group, text: "Hello", userId: PEOPLE.ada.uuid }),
      await signal.heard({ chatId: CHATS.group, text: "Hello", userId: PEOPLE.grace.uuid }),
    ];
    expect(keyOf(first)).toBe(keyOf(second));
    expect(first?.sender.id).not.toBe(second?.sender.id);
  });
});

describe("whom a message in a group is for", () => {
  const group = { chatId: CHATS.group };

  it("a mention addresses Hermes; at the beginning it is left out of the text", async () => {
    expect(await signal.heard({ ...group, text: "how are you?", mentions: true })).toMatchObject({
      text: "how are you?",
      isAddressed: true,
    });
  });

  it("quoting Hermes addresses it; quoting another person does not", async () => {
    const at = await signal.adapter.homeConversation(group);
    const { messageId } = await signal.adapter.send(at, { text: "Hello" }, sendOptions);
    const own = `${PEOPLE.self.uuid}:${messageId}`;
    expect(await signal.heard({ ...group, text: "Yes", replyTo: own })).toMatchObject({ isAddressed: true });
    const others = `${PEOPLE.grace.uuid}:${messageId}`;
    expect((await signal.heard({ ...group, text: "Yes", replyTo: others }))?.isAddressed).toBeUndefined();
  });

  it("a command in a group addresses Hermes; other words do not", async () => {
    expect(await signal.heard({ ...group, text: "/new" })).toMatchObject({ text: "/new", isAddressed: true });
    expect((await signal.heard({ ...group, text: "and/or" }))?.isAddressed).toBeUndefined();
  });

  it("reads mentions of others by their names, where they stand", async () => {
    const mentions = [{ name: "Grace", number: null, uuid: PEOPLE.grace.uuid, start: 4, length: 1 }];
    const message = await signal.heard({ ...group, text: "Ask \ufffc about it", fields: { mentions } });
    expect(message?.text).toBe("Ask @Grace about it");
    expect(message?.isAddressed).toBeUndefined();
  });
});

describe("a name that somebody chose", () => {
  it("a mentioned name becomes one short line without control characters", async () => {
    const name = `Grace\u202e\n\n[from "Ada"]\u2028${"x".repeat(500)}`;
    const mentions = [{ name, number: null, uuid: PEOPLE.grace.uuid, start: 4, length: 1 }];
    const message = await signal.heard({ chatId: CHATS.group, text: "Ask \ufffc", fields: { mentions } });
    expect(message?.text).toBe(`Ask @${`Grace [from "Ada"] ${"x".repeat(500)}`.slice(0, 80)}`);
  });
});

describe("what a message holds", () => {
  const chatId = CHATS.ada;

  it("Signal's styles become Markdown", async () => {
    const text = "Run npm test now";
    const styles = [
      { style: "MONOSPACE", start: 4, length: 8 },
      { style: "BOLD", start: 13, length: 3 },
    ];
    expect((await signal.heard({ chatId, text, styles }))?.text).toBe("Run `npm test` **now**");
  });

  it("a long text is read whole from its attachment", async () => {
    const text = `${"Grüße 👋 ".repeat(400)}the end`;
    const message = await signal.heard({ chatId, text, isLong: true });
    expect(message?.text).toBe(text);
    expect(message?.attachments).toBeUndefined();
  });

  it("a long text whose rest is missing says so behind its beginning", async () => {
    signal.emulator.ignoreAttachments(true);
    const text = "a long story ".repeat(400);
    const message = await signal.heard({ chatId, text, isLong: true });
    const [begun = "nothing", mark] = message?.text.split("\n\n") ?? [];
    expect(text.startsWith(begun)).toBe(true);
    expect(mark).toMatch("The rest of this message could not be loaded.");
  });

  it("text files are read as text, and others are named", async () => {
    const files = (name: string, mediaType: string, content: string) => [{ name, mediaType, content }];
    expect(
      await signal.heard({ chatId, text: "Read this", files: files("a.ts", "video/mp2t", "const a = 1;") }),
    ).toMatchObject({ text: "Read this", attachments: [{ name: "a.ts", text: "const a = 1;", size: 12 }] });
    const picture = await signal.heard({ chatId, text: "", files: files("a.png", "image/png", "\u0089PNG") });
    expect(picture?.attachments).toEqual([{ name: "a.png", mediaType: "application/octet-stream", size: 5 }]);
    const fetched = signal.calls("getAttachment").length;
    const huge = await signal.heard({ chatId, text: "", files: files("a.txt", "text/plain", "x".repeat(300_000)) });
    expect(huge?.attachments).toEqual([{ name: "a.txt", mediaType: "text/plain", size: 300_000, limit: 262_144 }]);
    expect(signal.calls("getAttachment")).toHaveLength(fetched);
  });

  it("a file is only named if the daemon keeps no files", async () => {
    signal.emulator.ignoreAttachments(true);
    const files = [{ name: "a.txt", mediaType: "text/plain", content: "a" }];
    const message = await signal.heard({ chatId, text: "", files });
    expect(message?.attachments).toEqual([{ name: "a.txt", mediaType: "text/plain", size: 1, isLost: true }]);
  });

  it("reactions and group changes are ignored", async () => {
    expect(await signal.heard({ chatId, text: "", fields: { reaction: { emoji: "👍" } } })).toBeUndefined();
    expect(await signal.heard({ chatId: CHATS.group, text: "" })).toBeUndefined();
  });

  it("an edit keeps the id of the first version, also an edit of an edit", async () => {
    const { messageId } = await signal.emulator.receive({ chatId, text: "Helo" });
    await expect.poll(() => signal.received.length).toBe(1);
    const first = signal.received.splice(0)[0];
    expect(first?.messageId).toBe(messageId);
    const edit = await signal.heard({ chatId, text: "Hello", editOf: messageId });
    expect(edit).toMatchObject({ text: "Hello", isEdit: true, messageId });
    const again = {
      envelope: {
        ...{ sourceUuid: CHATS.ada, timestamp: 99, sourceName: "Ada" },
        editMessage: { targetSentTimestamp: edit?.sentAt, dataMessage: { timestamp: 99, message: "Hello!" } },
      },
    };
    signal.emulator.feed.push(again);
    await expect.poll(() => signal.received.at(-1)?.text).toBe("Hello!");
    expect(signal.received.at(-1)).toMatchObject({ isEdit: true, messageId });
  });

  it("an edit that takes the words away from a file says nothing of the file", async () => {
    const files = [{ name: "plan.txt", mediaType: "text/plain", content: "plan" }];
    const { messageId } = await signal.emulator.receive({ chatId, text: "Look", files });
    await expect.poll(() => signal.received.length).toBe(1);
    const edit = await signal.heard({ chatId, text: "", editOf: messageId });
    expect(edit).toMatchObject({ messageId, text: "", isEdit: true });
    expect(edit?.attachments).toBeUndefined();
  });
});
