import { CannotEmulate } from "@hermes/emulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "./index.ts";

let emulator: TelegramEmulator;
beforeEach(async () => {
  emulator = await startTelegramEmulator();
});
afterEach(async () => {
  await emulator.close();
});

interface Answer {
  readonly ok: boolean;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly parameters?: unknown;
}

async function call(
  method: string,
  body: Record<string, unknown> = {},
  token = emulator.options.token,
): Promise<Answer> {
  const response = await fetch(`${emulator.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

async function updates(body: Record<string, unknown> = {}): Promise<{ update_id: number }[]> {
  return (await call("getUpdates", body)).result as unknown as { update_id: number }[];
}

describe("the emulated Telegram refuses what the real one refuses", () => {
  const chat_id = CHATS.forum;

  it.each<[string, string, Record<string, unknown>, string]>([
    ["an unknown chat", "sendMessage", { chat_id: 42, text: "x" }, "Bad Request: chat not found"],
    ["a chat's name that nobody has", "sendMessage", { chat_id: "@nobody", text: "x" }, "Bad Request: chat not found"],
    [
      "an unknown topic",
      "sendMessage",
      { chat_id, text: "x", message_thread_id: 99 },
      "Bad Request: message thread not found",
    ],
    [
      "the General topic by its id",
      "sendMessage",
      { chat_id, text: "x", message_thread_id: 1 },
      "Bad Request: message thread not found",
    ],
    [
      "a topic of a plain group",
      "sendMessage",
      { chat_id: CHATS.group, text: "x", message_thread_id: 2 },
      "Bad Request: message thread not found",
    ],
    ["an empty text", "sendMessage", { chat_id, text: " \n" }, "Bad Request: message text is empty"],
    [
      "a text that is too long",
      "sendMessage",
      { chat_id, text: "😀".repeat(2_049) },
      "Bad Request: message is too long",
    ],
    [
      "an entity behind the text",
      "sendMessage",
      { chat_id, text: "abc", entities: [{ type: "bold", offset: 2, length: 2 }] },
      "Bad Request: entity beginning at UTF-16 offset 2 ends after the end of the text at UTF-16 offset 3",
    ],
    [
      "an entity within a character",
      "sendMessage",
      { chat_id, text: "😀", entities: [{ type: "bold", offset: 0, length: 1 }] },
      "Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol",
    ],
    [
      "a topic in a plain group",
      "createForumTopic",
      { chat_id: CHATS.supergroup, name: "x" },
      "Bad Request: the chat is not a forum",
    ],
    [
      "a name that is too long",
      "createForumTopic",
      { chat_id, name: "x".repeat(129) },
      "Bad Request: TOPIC_TITLE_TOO_LONG",
    ],
    [
      "an edit of nothing",
      "editMessageText",
      { chat_id, message_id: 99, text: "x" },
      "Bad Request: message to edit not found",
    ],
    [
      "a command in capitals",
      "setMyCommands",
      { commands: [{ command: "New", description: "x" }] },
      "Bad Request: BOT_COMMAND_INVALID",
    ],
    [
      "a button that carries too much",
      "sendMessage",
      { chat_id, text: "x", reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "é".repeat(33) }]] } },
      "Bad Request: BUTTON_DATA_INVALID",
    ],
    [
      "an answer to an unknown press",
      "answerCallbackQuery",
      { callback_query_id: "1" },
      "Bad Request: query is too old and response timeout expired or query ID is invalid",
    ],
    ["an unknown method", "sendMagic", {}, "Not Found: method not found"],
  ])("%s", async (_, method, body, description) => {
    expect(await call(method, body)).toMatchObject({ ok: false, description });
  });

  it("refuses a wrong token", async () => {
    expect(await call("getMe", {}, "1:wrong")).toMatchObject({ ok: false, description: "Unauthorized" });
  });

  it("refuses an edit that changes nothing, and one of a person's message", async () => {
    const { result } = await call("sendMessage", { chat_id, text: "x" });
    const { messageId } = await emulator.receive({ chatId: chat_id, text: "mine" });
    const edit = (message_id: unknown) => call("editMessageText", { chat_id, message_id, text: "x" });
    expect((await edit(result?.message_id)).description).toMatch(/^Bad Request: message is not modified/);
    expect((await edit(Number(messageId))).description).toBe("Bad Request: message can't be edited");
  });

  it("refuses what the bot has no right to, or no place for", async () => {
    emulator.setRight(chat_id, "can_manage_topics", false);
    const topic = await call("createForumTopic", { chat_id, name: "x" });
    expect(topic.description).toBe("Bad Request: not enough rights to create a topic");
    emulator.setBotStatus(CHATS.private, "kicked");
    const blocked = await call("sendMessage", { chat_id: CHATS.private, text: "x" });
    expect(blocked.description).toBe("Forbidden: bot was blocked by the user");
  });

  it("refuses a group's old id, and names the new one", async () => {
    const newId = emulator.upgradeGroup(CHATS.group);
    expect(await call("sendMessage", { chat_id: CHATS.group, text: "x" })).toMatchObject({
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: Number(newId) },
    });
  });
});

describe("updates", () => {
  it("come again until an offset behind them confirms them", async () => {
    await emulator.receive({ chatId: CHATS.private, text: "one" });
    await emulator.receive({ chatId: CHATS.private, text: "two" });
    const ids = (await updates()).map(({ update_id: id }) => id);
    expect(ids).toHaveLength(2);
    expect((await updates()).map(({ update_id: id }) => id)).toEqual(ids);
    expect(await updates({ offset: ids[1] })).toHaveLength(1);
    expect(await updates({ offset: (ids[1] ?? 0) + 1 })).toEqual([]);
  });

  it("a poll waits for updates, and a second poll ends the first", async () => {
    const first = call("getUpdates", { timeout: 30 });
    await expect.poll(() => emulator.isConnected).toBe(true);
    const second = call("getUpdates", { timeout: 30 });
    expect(await first).toMatchObject({
      ok: false,
      description: expect.stringMatching(/^Conflict: terminated by other/),
    });
    await emulator.receive({ chatId: CHATS.private, text: "one" });
    expect((await second).result).toHaveLength(1);
  });

  it("a press comes to a bot that asked for presses, and can be answered once", async () => {
    const keyboard = { inline_keyboard: [[{ text: "Yes", callback_data: "q.yes" }]] };
    const chat_id = CHATS.private;
    const { result } = await call("sendMessage", { chat_id, text: "Go on?", reply_markup: keyboard });
    const pressed = { chatId: CHATS.private, messageId: String(result?.message_id), label: "Yes" };
    await updates({ allowed_updates: ["message"] });
    await emulator.press(pressed);
    expect(await updates({ allowed_updates: ["callback_query"] })).toEqual([]);
    await emulator.press(pressed);
    expect(await updates()).toMatchObject([
      { callback_query: { id: "2", data: "q.yes", from: { id: 1001 }, message: { reply_markup: keyboard } } },
    ]);
    const answer = () => call("answerCallbackQuery", { callback_query_id: "2" });
    expect([(await answer()).ok, (await answer()).ok]).toEqual([true, false]);
    await expect(emulator.press({ ...pressed, label: "No" })).rejects.toThrow(CannotEmulate);
  });

  it("cannot be polled while a webhook is set", async () => {
    emulator.world.webhook = "https://elsewhere.example";
    expect((await call("getUpdates")).description).toMatch(/^Conflict: can't use getUpdates method while webhook/);
    await call("deleteWebhook");
    expect(await updates()).toEqual([]);
  });
});

describe("what is scripted", () => {
  it("happens to the named call, as often as told", async () => {
    emulator.fail({ operation: "send", times: 2, kind: { is: "rate-limit", retryAfterMs: 1_500 } });
    const send = () => call("sendMessage", { chat_id: CHATS.private, text: "x" });
    expect(await send()).toMatchObject({ ok: false, parameters: { retry_after: 2 } });
    expect((await send()).ok).toBe(false);
    expect((await send()).ok).toBe(true);
  });

  it("may do the work and lose the answer", async () => {
    emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(call("sendMessage", { chat_id: CHATS.private, text: "x" })).rejects.toThrow();
    expect(emulator.messages(CHATS.private)).toMatchObject([{ text: "x", author: "bot" }]);
  });

  it("the emulator refuses what Telegram does not have", async () => {
    expect(() => emulator.fail({ operation: "send", kind: { is: "redeliver" } })).toThrow(CannotEmulate);
    const file = { name: "a.txt", mediaType: "text/plain", content: "a" };
    const twoFiles = emulator.receive({ chatId: CHATS.private, text: "Read these", files: [file, file] });
    await expect(twoFiles).rejects.toThrow("one file");
    const stranger = emulator.receive({ chatId: CHATS.private, text: "Hello", userId: "4711" });
    await expect(stranger).rejects.toThrow("nobody but Ada (1001) is in that private chat");
    expect(emulator.messages(CHATS.private)).toEqual([]);
  });
});

describe("the log", () => {
  it("names what was asked, without the token", async () => {
    await call("sendMessage", { chat_id: CHATS.private, text: "x" });
    expect(emulator.log).toMatchObject([{ method: "sendMessage", status: 200, body: { text: "x" } }]);
    expect(JSON.stringify(emulator.log)).not.toContain(emulator.options.token);
  });
});
