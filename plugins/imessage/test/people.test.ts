import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { heard, type RunningIMessage, sendOptions, settledIn, startIMessage } from "./running-imessage.ts";

const MAIL = "ada@example.com";

let imessage: RunningIMessage;
afterEach(() => imessage[Symbol.asyncDispose]());

async function write(chatId: string, text: string): Promise<void> {
  await imessage.emulator.receive({ chatId, text });
  await imessage.until(() => imessage.received.some((message) => message.text === text));
}

describe("addresses on one card of the Mac's contacts", () => {
  const EVE = "eve@example.com";

  it.each([
    ["two mail addresses", MAIL, EVE],
    ["a number and a mail address", PEOPLE.ada, EVE],
  ])("whoever writes from another address of a card is not taken for its person: %s", async (_, known, other) => {
    imessage = await startIMessage({ homeChannel: known, allowedUsers: [known] }, (emulator) => {
      emulator.addContact("Ada Lovelace", [known, other]);
    });
    await write(`iMessage;-;${known}`, "By Ada");
    await write(`iMessage;-;${other}`, "By Eve");
    const [ada, eve] = imessage.received;
    expect(ada?.sender).toMatchObject({ id: known, name: "Ada Lovelace" });
    expect(eve?.sender).toMatchObject({ id: other, name: "Ada Lovelace" });
    expect(eve?.sender.aliases).toBeUndefined();
    expect(eve?.conversation.chatId).toBe(other);
  });

  it("whoever was taken for a card's person before is parted after a restart", async () => {
    imessage = await startIMessage({ homeChannel: MAIL });
    const ids = [MAIL, EVE].map((id) => ({ id, strength: "strong" }) as const);
    await imessage.identities.keep({ id: MAIL, person: await imessage.identities.note(ids) });
    await imessage.restart();
    await write(`iMessage;-;${EVE}`, "By Eve");
    await write(`iMessage;-;${MAIL}`, "By Ada");
    expect(imessage.received.map(({ sender, conversation }) => [sender.id, conversation.chatId])).toEqual([
      [EVE, EVE],
      [MAIL, MAIL],
    ]);
  });
});

describe("SMS", () => {
  it("a home channel by SMS is refused unless the config takes SMS", async () => {
    imessage = await startIMessage();
    const home = () => imessage.adapter.homeConversation({ chatId: `sms:${PEOPLE.carl}` });
    await expect(home()).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN", message: expect.stringMatching(/SMS/) });
    const to = { platform: "imessage", chatId: `sms:${PEOPLE.carl}`, kind: "dm" } as const;
    const sent = imessage.adapter.send(to, { text: "Hello" }, sendOptions);
    await expect(sent).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
    expect(imessage.emulator.messages(CHATS.carl)).toEqual([]);
    await imessage.restart({ sms: true });
    await imessage.adapter.send(await home(), { text: "Hello" }, sendOptions);
    expect(imessage.emulator.messages(CHATS.carl).map(({ text }) => text)).toEqual(["Hello"]);
  });

  it("each chat that the emulator lists can be the home channel without SMS", async () => {
    imessage = await startIMessage();
    for (const { id } of imessage.emulator.chats) {
      await expect(imessage.adapter.homeConversation({ chatId: id })).resolves.toMatchObject({ platform: "imessage" });
    }
  });

  it.each(["RCS", "SatelliteSMS"])(
    "a message by %s is no iMessage, though its sender has the number",
    async (service) => {
      imessage = await startIMessage();
      const chat = imessage.emulator.world.database.chat(CHATS.ada);
      Object.assign(chat ?? {}, { guid: `${service};-;${PEOPLE.ada}` });
      await imessage.emulator.receive({ chatId: `${service};-;${PEOPLE.ada}`, text: "Forged" });
      await settledIn(imessage, CHATS.group);
      expect(heard(imessage)).toEqual([]);
    },
  );

  it("a message of macOS 26 by satellite is an iMessage", async () => {
    imessage = await startIMessage({}, (emulator) => emulator.upgradeMac());
    const chatId = `any;-;${PEOPLE.ada}`;
    const handle = { rowId: 1, address: PEOPLE.ada, service: "iMessageLite" as "iMessage", name: null };
    await imessage.emulator.receive({ chatId, text: "From the mountain", row: { handle } });
    await settledIn(imessage, chatId);
    expect(heard(imessage)).toEqual(["From the mountain"]);
  });

  it("a group of text messages is no home, and is sent nothing, without `sms: true`", async () => {
    imessage = await startIMessage();
    const chat = imessage.emulator.world.database.chat(CHATS.group);
    const groupId = CHATS.group.replace(/^.*;/, "");
    Object.assign(chat ?? {}, { guid: CHATS.group.replace(/^iMessage/, "SMS") });
    await imessage.restart();
    const home = imessage.adapter.homeConversation({ chatId: groupId });
    await expect(home).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
    const to = { platform: "imessage", chatId: groupId, kind: "group" } as const;
    const sent = imessage.adapter.send(to, { text: "Hello" }, sendOptions);
    await expect(sent).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it.each(["SMS", null])("a message of macOS 26 with the service %s is not an iMessage", async (service) => {
    imessage = await startIMessage({}, (emulator) => emulator.upgradeMac());
    const { emulator } = imessage;
    const chatId = `any;-;${PEOPLE.ada}`;
    const handle = { rowId: 1, address: PEOPLE.ada, service: service as "SMS", name: null };
    await emulator.receive({ chatId, text: "Forged", row: { handle } });
    await settledIn(imessage, chatId);
    expect(heard(imessage)).toEqual([]);
    await imessage.restart({ sms: true });
    await emulator.receive({ chatId, text: "Forged again", row: { handle } });
    await settledIn(imessage, chatId);
    const forged = imessage.received.find(({ text }) => text === "Forged again");
    expect(forged?.sender).toMatchObject({ id: `sms:${PEOPLE.ada}` });
    expect(forged?.sender.person).toBeUndefined();
  });
});

describe("the chat with oneself", () => {
  beforeEach(async () => {
    imessage = await startIMessage();
    await imessage.clock.advance(1_000);
  });

  it("a note with a file is heard once, and so is its edit, and its end is told once", async () => {
    const { emulator } = imessage;
    const files = [{ name: "list.txt", mediaType: "text/plain", content: "milk" }];
    const { messageId } = await emulator.receive({ chatId: CHATS.self, text: "The list", files });
    await settledIn(imessage, CHATS.self);
    await emulator.receive({ chatId: CHATS.self, text: "The long list", editOf: messageId });
    await settledIn(imessage, CHATS.self);
    emulator.retract({ chatId: CHATS.self, messageId });
    await expect.poll(() => imessage.retracted).toEqual([{ messageId, by: undefined }]);
    expect(heard(imessage)).toEqual(["The list", "The long list"]);
    const [first, second] = imessage.received.filter(({ text }) => /list/.test(text));
    expect(first?.attachments?.map(({ name }) => name)).toEqual(["list.txt"]);
    expect(second).toMatchObject({ messageId, isEdit: true });
  });

  it("a note in the words of a send that never went out is heard 15 minutes later", async () => {
    imessage.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    const to = await imessage.adapter.homeConversation({ chatId: PEOPLE.self });
    await imessage.adapter.send(to, { text: "Milk" }, sendOptions).catch(() => {});
    await imessage.clock.advance(16 * 60_000);
    await imessage.emulator.receive({ chatId: CHATS.self, text: "Milk" });
    await settledIn(imessage, CHATS.self);
    expect(heard(imessage)).toEqual(["Milk"]);
  });
});
