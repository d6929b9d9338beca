import { buildSessionKey, type InboundMessage } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, type TelegramInbound } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram, threadOptions } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

/** What Hermes makes of a message; undefined when it never hears of it. */
async function heard(message: TelegramInbound): Promise<InboundMessage | undefined> {
  const before = telegram.received.length;
  await telegram.emulator.receive(message);
  // Chats are taken side by side, but nothing is asked for before everything that came is taken.
  for (const marker of ["marker one", "marker two"]) {
    await telegram.emulator.receive({ chatId: CHATS.private, text: marker });
    await expect.poll(() => telegram.received.some(({ text }) => text === marker)).toBe(true);
  }
  const [found, ...more] = telegram.received.splice(before).filter(({ text }) => !text.startsWith("marker"));
  expect(more).toEqual([]);
  return found;
}

async function keyOf(message: TelegramInbound): Promise<string | undefined> {
  const found = await heard(message);
  return found && buildSessionKey(found.conversation);
}

describe("where a message belongs", () => {
  it("a message belongs to its topic, in a forum and in a private chat", async () => {
    for (const chatId of [CHATS.forum, CHATS.private]) {
      const threadId = telegram.emulator.openThread(chatId, "A topic");
      expect(await keyOf({ chatId, threadId, text: "Hello" })).toMatch(new RegExp(`:t=${threadId}$`));
    }
  });

  it("a message belongs to the new topic that a person opened", async () => {
    await telegram.adapter.createHandoffThread(CHATS.private, "Before", threadOptions(CHATS.private));
    const threadId = telegram.emulator.openThread(CHATS.private, "New");
    expect((await heard({ chatId: CHATS.private, threadId, text: "Hello" }))?.conversation.threadId).toBe(threadId);
    expect((await heard({ chatId: CHATS.private, text: "Hello" }))?.conversation.threadId).toBeUndefined();
  });

  it("a reply in the General topic belongs to the chat itself", async () => {
    const { messageId: first } = await telegram.emulator.receive({ chatId: CHATS.forum, text: "Who is there?" });
    await expect.poll(() => telegram.received.length).toBe(1);
    const reply = { chatId: CHATS.forum, text: "Me", replyTo: first };
    expect(await keyOf(reply)).toBe(`agent:main:telegram:group:${CHATS.forum}`);
  });

  it("a reply in a group without topics belongs to the group", async () => {
    const { messageId: first } = await telegram.emulator.receive({ chatId: CHATS.supergroup, text: "Do it" });
    await expect.poll(() => telegram.received.length).toBe(1);
    const reply = { chatId: CHATS.supergroup, text: "done", replyTo: first };
    expect(await keyOf(reply)).toBe(buildSessionKey(telegram.received[0]?.conversation ?? Object(null)));
  });

  it("a message belongs to the chat itself once topics were turned off", async () => {
    for (const chatId of [CHATS.forum, CHATS.private]) {
      const threadId = telegram.emulator.openThread(chatId, "Stale");
      telegram.emulator.world.hasTopicsInPrivate = false;
      telegram.emulator.setForum(CHATS.forum, false);
      expect((await heard({ chatId, threadId, text: "Hello" }))?.conversation.threadId).toBeUndefined();
      telegram.emulator.world.hasTopicsInPrivate = true;
      telegram.emulator.setForum(CHATS.forum, true);
    }
  });
});

describe("whom a message in a group is for", () => {
  const group = { chatId: CHATS.supergroup };

  it("a mention addresses the bot; at the beginning it is left out of the text", async () => {
    expect(await heard({ ...group, text: "how are you?", mentions: true })).toMatchObject({
      text: "how are you?",
      isAddressed: true,
    });
    expect(await heard({ ...group, text: "Ask @hermes_emulated_bot about it" })).toMatchObject({
      text: "Ask @hermes_emulated_bot about it",
      isAddressed: true,
    });
  });

  it("a reply to one of the bot's messages addresses it", async () => {
    const at = await telegram.adapter.homeConversation(group);
    const { messageId: replyTo } = await telegram.adapter.send(at, { text: "Hello" }, sendOptions);
    expect(await heard({ ...group, text: "Yes", replyTo })).toMatchObject({ isAddressed: true });
  });

  it("words between people do not address the bot", async () => {
    const { messageId: replyTo } = await telegram.emulator.receive({ ...group, text: "Lunch?" });
    await expect.poll(() => telegram.received.length).toBe(1);
    expect((await heard({ ...group, text: "Yes", replyTo }))?.isAddressed).toBeUndefined();
    expect((await heard({ ...group, text: "mail me at ada@example.org" }))?.isAddressed).toBeUndefined();
  });

  it("a message does not address the bot merely because it opened the topic", async () => {
    const { conversation } = await telegram.adapter.createHandoffThread(
      CHATS.forum,
      "Ours",
      threadOptions(CHATS.forum),
    );
    const { chatId, threadId = "" } = conversation;
    expect((await heard({ chatId, threadId, text: "Between us" }))?.isAddressed).toBeUndefined();
  });

  it("a command addresses the bot unless it names another one", async () => {
    expect(await heard({ ...group, text: "/new" })).toMatchObject({ text: "/new", isAddressed: true });
    expect(await heard({ ...group, text: "/new@hermes_emulated_bot" })).toMatchObject({
      text: "/new",
      isAddressed: true,
    });
    expect(await heard({ ...group, text: "/new@another_bot" })).toBeUndefined();
  });
});

describe("a command", () => {
  it.each([
    ["/resume  Trip to Rome", "/resume Trip to Rome"],
    ["/Resume@Hermes_Emulated_Bot 2", "/resume 2"],
    ["/who_am_i", "/who-am-i"],
    ["/start", "/help"],
    ["/start payload", "/help"],
    ["/unheard_of", "/unheard_of"],
  ])("%j reads %j", async (text, read) => {
    expect((await heard({ chatId: CHATS.private, text }))?.text).toBe(read);
  });
});

describe("who writes", () => {
  it("a sender is known by id and name", async () => {
    const message = { chatId: CHATS.group, text: "Hello", userId: "77", userName: "Grace" };
    expect(await heard(message)).toMatchObject({
      sender: { id: "77", name: "Grace", isBot: false },
      chatName: "A plain group",
    });
  });

  it("messages of other bots are marked; the bot's own are ignored", async () => {
    const message = { chatId: CHATS.group, text: "Beep", userId: "78" };
    expect((await heard({ ...message, isBot: true }))?.sender.isBot).toBe(true);
    expect(await heard({ ...message, isOwn: true })).toBeUndefined();
  });

  it("an anonymous administrator writes as the chat; a channel's copy is ignored", async () => {
    const senderChat = { id: Number(CHATS.forum), type: "supergroup", title: "A forum" } as const;
    const message = { chatId: CHATS.forum, text: "From above", isBot: true, senderChat };
    expect((await heard(message))?.sender).toEqual({ id: CHATS.forum, name: "A forum" });
    expect(await heard({ ...message, fields: { is_automatic_forward: true } })).toBeUndefined();
  });
});

describe("a message whose words are somebody else's", () => {
  const command = { chatId: CHATS.group, text: "/new", entities: [{ type: "bot_command", offset: 0, length: 4 }] };
  const date = 1;

  it.each([
    [{ type: "user", sender_user: { id: 5, first_name: "Grace", last_name: "H" }, date }, { writer: "Grace H" }],
    [{ type: "hidden_user", sender_user_name: "Grace", date }, { writer: "Grace" }],
    [{ type: "chat", sender_chat: { id: -9, type: "group", title: "News" }, date }, { origin: "News" }],
    [
      { type: "channel", chat: { id: -9, type: "channel", title: "News" }, author_signature: "G", date },
      { origin: "News", writer: "G" },
    ],
  ])("quotes a forward of %o with its origin, and takes no command from it", async (origin, source) => {
    const found = await heard({ ...command, fields: { forward_origin: origin } });
    expect(found).toMatchObject({ text: "", quotes: [{ kind: "forward", text: "/new", ...source }] });
    expect(found?.isAddressed).toBeUndefined();
  });

  it("a forwarded file without text names its writer", async () => {
    const files = [{ name: "notes.md", mediaType: "text/markdown", content: "Go." }];
    const found = await heard({ chatId: CHATS.private, text: "", files, forwarded: { from: "Grace" } });
    expect(found).toMatchObject({
      quotes: [{ kind: "forward", text: "", writer: "Grace" }],
      attachments: [{ name: "notes.md" }],
    });
  });

  it.each(["blockquote", "expandable_blockquote"])("text within a %s is no command", async (type) => {
    const entities = [
      { type, offset: 0, length: 4 },
      { type: "bot_command", offset: 0, length: 4 },
    ];
    const found = await heard({ chatId: CHATS.private, text: "/new\nWhat is that?", fields: { entities } });
    expect(found).toMatchObject({ text: "> /new\nWhat is that?" });
  });

  it("quotes what another bot wrote for its sender", async () => {
    const bot = { id: 6, is_bot: true, first_name: "Gif", username: "gif" };
    const found = await heard({ ...command, fields: { via_bot: bot } });
    expect(found).toMatchObject({ text: "", quotes: [{ kind: "forward", text: "/new", writer: "Gif" }] });
  });
});

describe("what a message holds", () => {
  it("Telegram's formatting becomes Markdown", async () => {
    const text = "Run npm test in the shop";
    const entities = [
      { type: "code", offset: 4, length: 8 },
      { type: "text_link", offset: 20, length: 4, url: "https://shop.example" },
    ];
    const message = await heard({ chatId: CHATS.private, text, entities });
    expect(message?.text).toBe("Run `npm test` in the [shop](https://shop.example)");
  });

  it("text files are read as text and others named; the caption is the text", async () => {
    const files = (name: string, mediaType: string, content: string) => [{ name, mediaType, content }];
    const chatId = CHATS.private;
    expect(
      await heard({ chatId, text: "Read this", files: files("a.ts", "video/mp2t", "const a = 1;") }),
    ).toMatchObject({
      text: "Read this",
      attachments: [{ name: "a.ts", text: "const a = 1;", size: 12 }],
    });
    const picture = await heard({ chatId, text: "", files: files("a.png", "image/png", "\u0089PNG") });
    expect(picture?.attachments).toEqual([{ name: "a.png", mediaType: "application/octet-stream", size: 5 }]);
    const photo = [{ name: "a.jpg", mediaType: "image/jpeg", content: Buffer.from("ffd8ffe0", "hex") }];
    const found = await heard({ chatId, text: "", files: photo });
    expect(found?.attachments).toMatchObject([
      { name: "photo.jpg", mediaType: "image/jpeg", size: 4, hash: expect.any(String) },
    ]);
    const huge = await heard({ chatId, text: "", files: files("a.txt", "text/plain", "x".repeat(300_000)) });
    expect(huge?.attachments).toEqual([{ name: "a.txt", mediaType: "text/plain", size: 300_000, limit: 262_144 }]);
  });

  it("a file that is too large for a bot is named with the limit, and not asked for", async () => {
    const files = [{ name: "a.pdf", mediaType: "application/pdf", content: Buffer.alloc(20 * 1024 ** 2 + 1) }];
    const message = await heard({ chatId: CHATS.private, text: "", files });
    expect(message?.attachments).toMatchObject([{ name: "a.pdf", limit: 20 * 1024 ** 2 }]);
    expect(telegram.calls("getFile")).toEqual([]);
  });

  it("a file is only named if its download is refused", async () => {
    telegram.emulator.fail({ operation: "getFile", kind: { is: "refuse", code: "Not Found" } });
    const files = [{ name: "a.txt", mediaType: "text/plain", content: "a" }];
    const message = await heard({ chatId: CHATS.private, text: "", files });
    expect(message?.attachments).toEqual([{ name: "a.txt", mediaType: "text/plain", size: 1, isLost: true }]);
  });

  it("an edit keeps the id of the message", async () => {
    const { messageId } = await telegram.emulator.receive({ chatId: CHATS.private, text: "Helo" });
    await expect.poll(() => telegram.received.length).toBe(1);
    const edit = await heard({ chatId: CHATS.private, text: "Hello", editOf: messageId });
    expect(edit).toMatchObject({ messageId, isEdit: true, text: "Hello" });
  });

  it("a message edited to a command to another bot says nothing to this one any more", async () => {
    const { messageId } = await telegram.emulator.receive({ chatId: CHATS.private, text: "Delete the branch" });
    await expect.poll(() => telegram.received.length).toBe(1);
    const edit = await heard({ chatId: CHATS.private, text: "/start@another_bot", editOf: messageId });
    const nothing = { text: "", attachments: [], quotes: [], items: [] };
    expect(edit).toMatchObject({ messageId, isEdit: true, ...nothing });
  });
});

describe("a group whose bot has privacy mode on", () => {
  it("in privacy mode, only addressed messages arrive, unless the bot is admin", async () => {
    telegram.emulator.world.readsAllGroupMessages = false;
    expect(await heard({ chatId: CHATS.supergroup, text: "Lunch?" })).toBeUndefined();
    expect(await heard({ chatId: CHATS.supergroup, text: "Lunch?", mentions: true })).toBeDefined();
    expect(await heard({ chatId: CHATS.forum, text: "Lunch?" })).toBeDefined();
  });
});
