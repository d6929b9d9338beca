import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { proto } from "@whiskeysockets/baileys";
import { afterEach, describe, expect, it } from "vitest";
import { PERSONAL_CHATS } from "../../emulator/index.ts";
import type { People } from "../../src/people.ts";
import { attachmentsOf, downloadsFrom } from "../../src/personal/attachments.ts";
import { textOf } from "../../src/personal/content.ts";
import { isForHermes } from "../../src/personal/inbound.ts";
import { itemsOf, referenceOf, unreadableIn } from "../../src/personal/references.ts";
import { at, sending, startElsewhere, until } from "../harness.ts";
import { type RunningPersonal, startPersonal } from "../running-personal.ts";

const { ada: ADA, bob: BOB, self: SELF, group: GROUP } = PERSONAL_CHATS;

let personal: RunningPersonal;
afterEach(() => personal?.[Symbol.asyncDispose]());

async function write(chatId: string, text: string, more: object = {}): Promise<string> {
  const { messageId } = await personal.emulator.receive({ chatId, text, ...more });
  return messageId;
}

async function received(count: number): Promise<RunningPersonal["received"]> {
  await until(() => personal.received.length >= count);
  return personal.received;
}

describe("a message", () => {
  it("WhatsApp's formatting becomes Markdown, and /Title is a command", async () => {
    personal = await startPersonal();
    const messageId = await write(ADA, "*Bold* and `code`");
    await write(ADA, "/Title My plan");
    const [first, second] = await received(2);
    expect(first).toMatchObject({ messageId, text: "**Bold** and `code`", sender: { aliases: [ADA], name: "Ada" } });
    expect(first?.conversation).toEqual(at(ADA));
    expect(second?.text).toBe("/title My plan");
  });

  it("a message of nothing but spaces says nothing", async () => {
    personal = await startPersonal();
    await write(ADA, " \n ");
    await write(ADA, "Hello");
    expect((await received(1)).map(({ text }) => text)).toEqual(["Hello"]);
  });

  it("a changed message comes as an edit of the original", async () => {
    personal = await startPersonal();
    const messageId = await write(ADA, "Helo");
    await write(ADA, "Hello", { editOf: messageId });
    expect((await received(2))[1]).toMatchObject({ messageId, text: "Hello", isEdit: true });
  });

  it("a text file arrives with its text, another with name and size", async () => {
    personal = await startPersonal();
    await write(ADA, "See", { files: [{ name: "notes.md", mediaType: "text/markdown", content: "# Grüße" }] });
    await write(ADA, "", { files: [{ name: "p.png", mediaType: "image/png", content: "PNG" }] });
    expect((await received(2)).map(({ text, attachments }) => ({ text, attachments }))).toEqual([
      { text: "See", attachments: [{ name: "notes.md", mediaType: "text/markdown", size: 9, text: "# Grüße" }] },
      { text: "", attachments: [{ name: "photo.jpg", mediaType: "application/octet-stream", size: 3 }] },
    ]);
  });

  it("a file forwarded without a word says that it was forwarded", async () => {
    personal = await startPersonal();
    const files = [{ name: "notes.md", mediaType: "text/markdown", content: "Go." }];
    await write(ADA, "", { files, forwarded: { from: "Grace" } });
    expect((await received(1))[0]).toMatchObject({ text: "", quotes: [{ kind: "forward", text: "" }] });
  });

  it("a message is confirmed, but not marked as read by default", async () => {
    personal = await startPersonal();
    await write(ADA, "Hello");
    await received(1);
    await until(() => personal.calls("receipt inactive").length === 1);
    // What was sent before this has come to the server, too.
    await personal.adapter.send(at(ADA), { text: "Hi" }, sending());
    expect(personal.calls("receipt read")).toEqual([]);
    await personal[Symbol.asyncDispose]();

    personal = await startPersonal({ options: { readReceipts: true } });
    await write(ADA, "Hello");
    await received(1);
    await until(() => personal.calls("receipt read").length === 1);
    for (let at = 1; at < 5; at++) await write(ADA, `Message ${at}`);
    await received(5);
    await until(() => personal.calls("receipt read").length === 5);
  });

  it("readReceipts marks nothing as read of somebody who may not talk", async () => {
    personal = await startPersonal({ options: { readReceipts: true } });
    personal.isAllowed = ({ text }) => text === "Hello";
    await write(BOB, "Is somebody there?");
    await write(ADA, "Hello");
    await received(2);
    await until(() => personal.calls("receipt read").length > 0);
    expect(personal.calls("receipt read")).toHaveLength(1);
  });
});

describe("one person under two ids", () => {
  it("knows a person by both ids from the first message, as one conversation", async () => {
    personal = await startPersonal();
    await write(ADA, "By the id that hides the number, which the server tells beside it");
    personal.emulator.world.chat(ADA).addressing = "number";
    await write(ADA, "By the number");
    const [first, second] = await received(2);
    expect(first?.conversation).toEqual(at(ADA));
    expect(second?.conversation).toEqual(at(ADA));
    expect(first?.sender).toMatchObject({ id: expect.stringMatching(/^\d+@lid$/), aliases: [ADA] });
  });

  it("goes on in one conversation when the number was not told at first", async () => {
    personal = await startPersonal();
    personal.emulator.world.chat(ADA).addressing = "only-lid";
    await write(ADA, "Who am I?");
    const [first] = await received(1);
    expect(first?.conversation.chatId).toMatch(/^\d+@lid$/);
    personal.emulator.world.chat(ADA).addressing = "number";
    await personal.restart();
    await write(ADA, "Ada");
    const [, second] = await received(2);
    expect(second?.conversation).toEqual(first?.conversation);
    expect(second?.sender.aliases).toContain(ADA);
    await personal.adapter.send(second?.conversation ?? at(""), { text: "Hello Ada" }, sending());
    expect(personal.emulator.messages(ADA).at(-1)?.text).toBe("Hello Ada");
  });

  it("a hidden number is recognised from an earlier send to it", async () => {
    personal = await startPersonal();
    await personal.adapter.send(at(ADA), { text: "A handoff" }, sending());
    personal.emulator.world.chat(ADA).addressing = "only-lid";
    await write(ADA, "Without a number");
    expect((await received(1))[0]).toMatchObject({ conversation: at(ADA), sender: { aliases: [ADA] } });
  });

  it("a sender in a group is the same person as in the direct chat", async () => {
    personal = await startPersonal();
    await write(GROUP, "Hello", { userId: BOB });
    expect((await received(1))[0]?.sender).toMatchObject({ aliases: [BOB], person: { key: BOB } });
  });

  it("stands in the log without the whole number", async () => {
    personal = await startPersonal();
    await write(ADA, "Hello");
    await received(1);
    expect(personal.logged.join()).toContain("…101");
    expect(personal.logged.join()).not.toContain(ADA);
  });
});

describe("a group", () => {
  it("hears which messages are for the account: a mention, a reply to it, a command", async () => {
    personal = await startPersonal();
    const { messageId } = await personal.adapter.send(at(GROUP), { text: "I am here" }, sending());
    await write(GROUP, "Just talking");
    await write(GROUP, "what do you think?", { mentions: true });
    await write(GROUP, "Why?", { replyTo: messageId });
    await write(GROUP, "/help");
    expect((await received(4)).map(({ text, isAddressed }) => [text, isAddressed ?? false])).toEqual([
      ["Just talking", false],
      ["what do you think?", true],
      ["Why?", true],
      ["/help", true],
    ]);
    expect(personal.received[0]?.conversation).toEqual(at(GROUP));
  });
});

describe("what the account itself wrote", () => {
  it("Hermes ignores what the account writes to others on its phone", async () => {
    personal = await startPersonal();
    await write(ADA, "From my phone", { isOwn: true });
    await write(GROUP, "To all", { isOwn: true });
    await write(ADA, "From Ada");
    expect((await received(1)).map(({ text }) => text)).toEqual(["From Ada"]);
  });

  it("the account's note to itself is for Hermes, whose own answers there are ignored", async () => {
    personal = await startPersonal();
    await write(SELF, "Note to self");
    const [note] = await received(1);
    expect(note).toMatchObject({ text: "Note to self", conversation: at(SELF) });
    await personal.adapter.send(at(SELF), { text: "An answer" }, sending());
    await write(SELF, "And on");
    expect((await received(2)).map(({ text }) => text)).toEqual(["Note to self", "And on"]);
    expect(personal.emulator.messages(SELF).map(({ text }) => text)).toEqual(["Note to self", "An answer", "And on"]);
  });
});

describe("while nobody is connected", () => {
  it("messages wait while the device is away, and come once when it is back", async () => {
    personal = await startPersonal();
    await personal.adapter.stop();
    await write(ADA, "Are you there?");
    await write(ADA, "Hello?");
    await personal.restart();
    expect((await received(2)).map(({ text }) => text)).toEqual(["Are you there?", "Hello?"]);
    await personal.restart();
    await write(ADA, "Good.");
    expect((await received(3)).map(({ text }) => text)).toEqual(["Are you there?", "Hello?", "Good."]);
  });

  it("the next process hands over a message that Hermes had not taken", async () => {
    personal = await startPersonal();
    personal.onReceive = () => new Promise(() => {});
    await write(ADA, "Keep this");
    await received(1);
    personal.onReceive = async () => {};
    await personal.restart();
    expect((await received(2)).map(({ text }) => text)).toEqual(["Keep this", "Keep this"]);
    await personal.restart();
    await write(ADA, "Done?");
    expect((await received(3)).at(-1)?.text).toBe("Done?");
  });

  it("a message that could not be written down waits at WhatsApp until it can be", async () => {
    personal = await startPersonal();
    const arrivals = join(personal.folder, "arrivals.jsonl");
    rmSync(arrivals, { force: true });
    symlinkSync("/dev/full", arrivals);
    await write(ADA, "Keep this");
    await until(() => personal.clock.isWaiting(1_000));
    expect(personal.adapter.health().state).toBe("down");

    rmSync(arrivals);
    await personal.clock.advance(1_000);
    expect((await received(1)).map(({ text }) => text)).toEqual(["Keep this"]);
    await write(ADA, "And this");
    expect((await received(2)).map(({ text }) => text)).toEqual(["Keep this", "And this"]);
  });

  it("a message that Hermes could not take is handed over again a second later", async () => {
    personal = await startPersonal();
    let failures = 1;
    personal.onReceive = async () => {
      if (failures-- > 0) throw new Error("no room");
    };
    await write(ADA, "Keep this");
    await until(() => personal.clock.isWaiting(1_000));
    await personal.clock.advance(1_000);
    expect((await received(2)).map(({ text }) => text)).toEqual(["Keep this", "Keep this"]);
  });
});

describe("a message that is no text", () => {
  it.each([
    ["a button", { buttonsResponseMessage: { selectedDisplayText: "/new" } }, "(a choice: /new)"],
    ["a button of a template", { templateButtonReplyMessage: { selectedDisplayText: "/new" } }, "(a choice: /new)"],
    ["a line of a list", { listResponseMessage: { title: "/new" } }, "(a choice: /new)"],
    ["an event", { eventMessage: { name: "Dinner", description: "At eight" } }, "(an event: Dinner: At eight)"],
    ["a reaction", { reactionMessage: { text: "👍" } }, ""],
    ["a vote", { pollUpdateMessage: {} }, ""],
    ["something of a later version", {}, ""],
  ])("a message that is no text says what it is: %s", (_, content, text) => {
    expect(textOf(proto.Message.fromObject(content))).toBe(text);
  });

  it("only names a message whose text lies outside WhatsApp, and fetches nothing", async () => {
    await using elsewhere = await startElsewhere();
    const document = { url: `${elsewhere.url}/notes.txt`, mediaKey: Buffer.alloc(32), fileName: "notes.txt" };
    const content = proto.Message.fromObject({ documentMessage: { ...document, mimetype: "text/plain" } });
    for (const socketUrl of ["wss://web.whatsapp.com/ws/chat", "ws://127.0.0.1:1/ws/chat"]) {
      const [file] = attachmentsOf(content, downloadsFrom(socketUrl));
      expect(file).toMatchObject({ name: "notes.txt", mediaType: "text/plain", size: 0 });
      const request = { signal: AbortSignal.timeout(1_000), most: 1_000 };
      await expect(file?.download?.(request)).rejects.toThrow("outside of WhatsApp's servers");
    }
    expect(elsewhere.asked).toEqual([]);
  });

  it("voice messages and round videos have telling file names", () => {
    const none = () => async () => null;
    const content = (message: object) => proto.Message.fromObject(message);
    expect(
      attachmentsOf(content({ audioMessage: { ptt: true, mimetype: "audio/ogg; codecs=opus" } }), none),
    ).toMatchObject([{ name: "voice.ogg", mediaType: "audio/ogg", size: 0 }]);
    expect(attachmentsOf(content({ ptvMessage: { mimetype: "video/mp4" } }), none)).toMatchObject([
      { name: "video.mp4" },
    ]);
  });
});

describe("what a message shares or refers to", () => {
  it.each([
    [
      "a place",
      { locationMessage: { degreesLatitude: 41.9, degreesLongitude: 12.5, name: "Rome" } },
      [{ kind: "place", name: "Rome", address: undefined, latitude: 41.9, longitude: 12.5 }],
    ],
    [
      "contacts",
      {
        contactsArrayMessage: {
          contacts: [{ displayName: "Bob", vcard: "BEGIN:VCARD\nitem1.TEL;waid=1:+47 1\nEMAIL:b@x.org" }, {}],
        },
      },
      [
        { kind: "contact", name: "Bob", addresses: ["+47 1", "b@x.org"] },
        { kind: "contact", name: "", addresses: [] },
      ],
    ],
    [
      "a poll",
      { pollCreationMessageV3: { name: "When?", options: [{ optionName: "Now" }, { optionName: "Never" }] } },
      [{ kind: "poll", question: "When?", options: ["Now", "Never"] }],
    ],
  ])("hands %s over as data", (_, content, items) => {
    expect(itemsOf(proto.Message.fromObject(content))).toMatchObject(items);
  });

  it("tells what a message quotes, as its sender's app has it", async () => {
    personal = await startPersonal();
    const messageId = await write(GROUP, "Lunch?", { userId: BOB });
    await write(GROUP, "Why?", { replyTo: messageId, userId: ADA });
    const [lunch, why] = await received(2);
    expect(why).toMatchObject({
      text: "Why?",
      refersTo: { messageId, text: "Lunch?", writer: { id: lunch?.sender.id }, isClaimed: true },
    });
  });

  it("names nobody as the writer of words that somebody passed on", async () => {
    const contextInfo = { isForwarded: true };
    const quotedMessage = { extendedTextMessage: { text: "Pay.", contextInfo } };
    const quoting = { stanzaId: "1", participant: `${BOB}@s.whatsapp.net`, quotedMessage };
    const content = proto.Message.fromObject({ extendedTextMessage: { text: "Do it.", contextInfo: quoting } });
    const people = { holder: async () => null } as unknown as People;
    expect(await referenceOf(content, { own: [], people })).toEqual({ messageId: "1", text: "Pay.", isClaimed: true });
  });

  it("reports what somebody deletes as deleted by them, whoever wrote it", async () => {
    personal = await startPersonal();
    const messageId = await write(GROUP, "Lunch?", { userId: BOB });
    await write(GROUP, "Yes.", { userId: ADA });
    const [lunch, yes] = await received(2);
    await personal.emulator.retract({ chatId: GROUP, messageId });
    await personal.emulator.retract({ chatId: GROUP, messageId, userId: ADA });
    await until(() => personal.retracted.length === 2);
    expect(personal.retracted).toEqual([lunch, yes].map((message) => ({ messageId, by: message?.sender.id })));
  });

  it.each([
    ["stickers", { stickerMessage: {} }, "sticker"],
    ["orders", { orderMessage: {} }, "order"],
    ["forms", { interactiveResponseMessage: {} }, "form"],
    ["payments", { requestPaymentMessage: {} }, "payment"],
    ["votes", { pollUpdateMessage: {} }, undefined],
  ])("names the kind of %s that it cannot read", (_, content, kind) => {
    expect(unreadableIn(proto.Message.fromObject(content))).toBe(kind);
  });
});

describe("what is kept for Hermes", () => {
  const context = { own: [SELF], notBefore: 1_700_000_000_000 };
  const message = (content: proto.IMessage, more: object = {}, key: object = {}) => ({
    key: { remoteJid: `${ADA}@s.whatsapp.net`, id: "3A01", fromMe: false, ...key },
    message: content,
    messageTimestamp: 1_700_000_001,
    ...more,
  });

  it.each([
    ["what somebody writes", message({ conversation: "Hello" }), true],
    [
      "what came while nobody was there, however late",
      message({ conversation: "Hi" }, { messageTimestamp: 1_700_000_000 }),
      true,
    ],
    ["what is older than the bound", message({ conversation: "Hi" }, { messageTimestamp: 1_699_999_999 }), false],
    ["the account's own", message({ conversation: "Hi" }, {}, { fromMe: true }), false],
    ["a status of a friend", message({ conversation: "Hi" }, {}, { remoteJid: "status@broadcast" }), false],
    ["a channel", message({ conversation: "Hi" }, {}, { remoteJid: "123@newsletter" }), false],
    ["a reaction", message({ reactionMessage: { text: "👍" } }), false],
    [
      "a deletion, which may concern a message that waits",
      message({ protocolMessage: { type: proto.Message.ProtocolMessage.Type.REVOKE } }),
      true,
    ],
    [
      "the history that the phone sends when a device is linked",
      message({
        protocolMessage: {
          historySyncNotification: {},
          type: proto.Message.ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
        },
      }),
      false,
    ],
  ])("%s: %#", (_, wire, isKept) => {
    expect(isForHermes(wire, context)).toBe(isKept);
  });
});
