import { type Conversation, type Piece, textFile } from "@hermes/core";
import { PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram, threadOptions } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

const privateChat: Conversation = { platform: "telegram", chatId: CHATS.private, kind: "dm" };
const forum: Conversation = { platform: "telegram", chatId: CHATS.forum, kind: "group" };

async function topicIn(chatId: string): Promise<Conversation> {
  return (await telegram.adapter.createHandoffThread(chatId, "Topic", threadOptions(chatId))).conversation;
}

function send(to: Conversation, markdown: string) {
  const [piece = { text: "" }] = telegram.adapter.render({ kind: "answer", markdown });
  return telegram.adapter.send(to, piece, sendOptions);
}

describe("what Hermes sends", () => {
  it("goes to its topic, with a link in groups", async () => {
    const at = await topicIn(CHATS.forum);
    const { messageId, link } = await send(at, "Hello");
    expect(telegram.emulator.messages(CHATS.forum, at.threadId)).toMatchObject([{ text: "Hello", author: "bot" }]);
    expect(link).toBe(`https://t.me/c/3002/${at.threadId}/${messageId}`);
  });

  it("a message to the General topic names no topic, which Telegram would refuse", async () => {
    await send(forum, "Hello");
    expect(telegram.calls("sendMessage")[0]).not.toHaveProperty("message_thread_id");
    await telegram.adapter.typing(forum, sendOptions.signal);
    expect(telegram.calls("sendChatAction")[0]).not.toHaveProperty("message_thread_id");
  });

  it("messages are formatted by entities and have no link preview by default", async () => {
    await send(privateChat, "See **[the docs](https://hermes.example)**");
    expect(telegram.calls("sendMessage")[0]).toMatchObject({
      text: "See the docs",
      entities: [
        { type: "bold", offset: 4, length: 8 },
        { type: "text_link", offset: 4, length: 8, url: "https://hermes.example" },
      ],
      link_preview_options: { is_disabled: true },
    });
  });

  it("shows previews of links where the config wants them", async () => {
    await telegram[Symbol.asyncDispose]();
    telegram = await startTelegram({ linkPreviews: true });
    await send(privateChat, "https://hermes.example");
    expect(telegram.calls("sendMessage")[0]).not.toHaveProperty("link_preview_options");
  });

  it("sends clean plain text when the formatting is refused", async () => {
    telegram.emulator.fail({ operation: "send", kind: { is: "refuse", code: "can't parse entities: no such thing" } });
    await send(privateChat, "**Important**: use `a_b`");
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ text: "Important: use a_b" }]);
    expect(telegram.calls("sendMessage").map(({ entities }) => entities !== undefined)).toEqual([true, false]);
  });

  it("reports Telegram's reason, without a retry, when it is not the formatting", async () => {
    telegram.emulator.fail({ operation: "send", kind: { is: "refuse", code: "message is too long" } });
    await expect(send(privateChat, "**Hello**")).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: "telegram refused the message: message is too long.",
    });
    expect(telegram.calls("sendMessage")).toHaveLength(1);
  });

  it("waits as long as Telegram says, and asks once", async () => {
    telegram.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 30_000 } });
    await expect(send(privateChat, "Hello")).rejects.toMatchObject({
      code: "PLATFORM_RATE_LIMITED",
      retryable: true,
      retryAfterMs: 30_000,
    });
    expect(telegram.calls("sendMessage")).toHaveLength(1);
  });

  it.each([
    ["drop-answer", "PLATFORM_UNCERTAIN"],
    ["break-after", "PLATFORM_UNCERTAIN"],
    ["bad-gateway", "PLATFORM_UNCERTAIN"],
    ["break", "PLATFORM_UNAVAILABLE"],
  ] as const)("a send whose reply is lost or a failure has the right code (%s)", async (is, code) => {
    telegram.emulator.fail({ operation: "send", kind: { is } });
    await expect(send(privateChat, "Hello")).rejects.toMatchObject({ code });
  });

  it("a send without a connection can be retried", async () => {
    await telegram.emulator.close();
    // A call on a connection whose end was not noticed yet may have arrived, as far as anybody knows.
    await expect.poll(() => telegram.adapter.health().state).not.toBe("up");
    await expect(send(privateChat, "Hello")).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });

  it.each([
    ["a picture as a photo", PNG_FILE, true],
    ["one that is too wide for a photo as a document", wide(), false],
  ])("brings %s, byte for byte, with its caption", async (_, content, isPicture) => {
    const file = { name: "cat.png", mediaType: "image/png", size: content.length, hash: "", caption: "My cat" };
    for (const piece of telegram.adapter.render({ kind: "answer", markdown: "", files: [file] })) {
      await telegram.adapter.send(privateChat, piece, { ...sendOptions, content });
    }
    const messages = telegram.emulator.messages(CHATS.private);
    expect(messages).toMatchObject([{ text: "My cat", files: [{ name: "cat.png", content, isPicture }] }]);
  });

  it("a message sent as a file arrives under its name", async () => {
    const file = textFile("notes.md", "text/markdown", "# Notes");
    const pieces = telegram.adapter.render({ kind: "answer", markdown: "Here.", files: [file] });
    const content = Buffer.from("# Notes");
    for (const piece of pieces) await telegram.adapter.send(privateChat, piece, { ...sendOptions, content });
    expect(telegram.emulator.messages(CHATS.private).map(({ fileNames, text }) => [text, ...fileNames])).toEqual([
      ["Here."],
      ["", "notes.md"],
    ]);
  });
});

describe("a topic that is gone", () => {
  it.each([CHATS.forum, CHATS.private])(
    "a send to a deleted topic fails with PLATFORM_THREAD_GONE (%s)",
    async (chatId) => {
      const at = await topicIn(chatId);
      telegram.emulator.removeThread(chatId, at.threadId ?? "");
      await expect(send(at, "Hello?")).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    },
  );

  it("deletes a stray message that Telegram posted to the private chat instead", async () => {
    const at = await topicIn(CHATS.private);
    telegram.emulator.world.losesDeadTopics = true;
    telegram.emulator.removeThread(CHATS.private, at.threadId ?? "");
    await expect(send(at, "Hello?")).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    expect(telegram.emulator.messages(CHATS.private)).toEqual([]);
  });

  it("a topic is gone once topics are off; the chat itself still works", async () => {
    const at = await topicIn(CHATS.private);
    telegram.emulator.world.hasTopicsInPrivate = false;
    await expect(send(at, "Hello?")).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    await send(privateChat, "Hello!");
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ text: "Hello!" }]);
  });

  it("because it was closed to the bot is told as that", async () => {
    const at = await topicIn(CHATS.forum);
    telegram.emulator.setRight(CHATS.forum, "can_manage_topics", false);
    telegram.emulator.closeThread(CHATS.forum, at.threadId ?? "");
    await expect(send(at, "Hello?")).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });
});

describe("an answer that grows", () => {
  it("an edit changes the message in place", async () => {
    const { messageId } = await send(privateChat, "One");
    await telegram.adapter.edit(privateChat, messageId, { text: "One, two" }, sendOptions);
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ text: "One, two", isEdited: true }]);
  });

  it("may be changed to what it says already", async () => {
    const { messageId } = await send(privateChat, "One");
    const receipt = await telegram.adapter.edit(privateChat, messageId, { text: "One" }, sendOptions);
    expect(receipt.messageId).toBe(messageId);
  });

  it("an edit keeps the buttons that it has, and removes those that it has not", async () => {
    const choices = [{ id: "q.yes", label: "Yes", style: "plain" }] as const;
    const [piece = { text: "" }] = telegram.adapter.render({ kind: "question", markdown: "Go on?", choices });
    const { messageId } = await telegram.adapter.send(privateChat, piece, sendOptions);
    const edit = (changed: Piece) => telegram.adapter.edit(privateChat, messageId, changed, sendOptions);
    await edit({ ...piece, text: "Shall I?" });
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ text: "Shall I?", choices: ["Yes"] }]);
    await edit({ text: "Shall I?" });
    expect(telegram.emulator.messages(CHATS.private)[0]).not.toHaveProperty("choices");
  });

  it("reports a growing answer that a person deleted as not found, to send it anew", async () => {
    const editing = telegram.adapter.edit(privateChat, "999", { text: "One" }, sendOptions);
    await expect(editing).rejects.toMatchObject({ code: "PLATFORM_NOT_FOUND" });
  });

  it("an edit falls back to plain text if Telegram refuses the formatting", async () => {
    const { messageId } = await send(privateChat, "One");
    telegram.emulator.fail({ operation: "edit", kind: { is: "refuse", code: "can't parse entities" } });
    const [piece = { text: "" }] = telegram.adapter.render({ kind: "answer", markdown: "**Two**" });
    await telegram.adapter.edit(privateChat, messageId, piece, sendOptions);
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ text: "Two" }]);
  });
});

describe("typing", () => {
  it("the typing indicator is shown in the topic", async () => {
    const at = await topicIn(CHATS.private);
    await telegram.adapter.typing(at, sendOptions.signal);
    expect(telegram.calls("sendChatAction")).toMatchObject([
      { action: "typing", message_thread_id: Number(at.threadId) },
    ]);
  });
});

/** The header of a picture of 60,000 × 1 pixels. */
function wide(): Buffer {
  const content = Buffer.from(PNG_FILE);
  content.writeUInt32BE(60_000, 16);
  return content;
}
