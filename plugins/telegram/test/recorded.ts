import type { KitJudge, RecordedExchange } from "@hermes/testing";
import { CHATS, type TelegramEmulator } from "../emulator/index.ts";

const ADA = { id: 52_000_001, is_bot: false, first_name: "Ada", last_name: "L", username: "ada", language_code: "en" };
const BOT = { id: 110_201_543, is_bot: true, first_name: "Hermes", username: "hermes_bot" };
const PRIVATE = { id: 52_000_001, first_name: "Ada", last_name: "L", username: "ada", type: "private" };
const FORUM = { id: -1_001_234_567_890, title: "Team", type: "supergroup", is_forum: true };

/** People need neither a second name nor a user name, and may keep their language to themselves. */
const ofPerson = (path: string) => ["last_name", "username", "language_code"].map((name) => `${path}.${name}`);

const refused = (error_code: number, description: string) => ({ ok: false, error_code, description });

function exchange(
  name: string,
  method: string,
  body: object | ((emulator: TelegramEmulator) => object),
  response: RecordedExchange["response"],
  more: Partial<RecordedExchange<TelegramEmulator>> = {},
): RecordedExchange<TelegramEmulator> {
  return {
    name,
    request: (emulator) => ({
      url: `${emulator.options.apiRoot}/bot${emulator.options.token}/${method}`,
      body: typeof body === "function" ? body(emulator) : body,
    }),
    response,
    ...more,
  };
}

/** The fields, types and refusals of the Bot API's documentation: User, Chat, Message, Update, ForumTopic. */
export const documented: KitJudge<TelegramEmulator> = {
  source: "https://core.telegram.org/bots/api",
  exchanges: [
    exchange(
      "the bot asks who it is",
      "getMe",
      {},
      {
        status: 200,
        body: {
          ok: true,
          result: {
            ...BOT,
            ...{ can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false },
            ...{ can_connect_to_business: false, has_main_web_app: false },
            ...{ has_topics_enabled: true, allows_users_to_create_topics: true },
          },
        },
      },
    ),
    exchange(
      "a message is sent to a person",
      "sendMessage",
      { chat_id: CHATS.private, text: "Hello" },
      {
        status: 200,
        body: { ok: true, result: { message_id: 7, from: BOT, chat: PRIVATE, date: 1_764_500_000, text: "Hello" } },
      },
      { optional: ofPerson("result.chat") },
    ),
    exchange(
      "a person's message is fetched",
      "getUpdates",
      { timeout: 0 },
      {
        status: 200,
        body: {
          ok: true,
          result: [
            {
              update_id: 524_876_123,
              message: { message_id: 8, from: ADA, chat: PRIVATE, date: 1_764_500_001, text: "Hello" },
            },
          ],
        },
      },
      {
        prepare: async (emulator) => void (await emulator.receive({ chatId: CHATS.private, text: "Hello" })),
        optional: [...ofPerson("result[].message.from"), ...ofPerson("result[].message.chat")],
      },
    ),
    exchange(
      "a topic is opened",
      "createForumTopic",
      { chat_id: CHATS.forum, name: "Plan" },
      {
        status: 200,
        body: { ok: true, result: { message_thread_id: 12, name: "Plan", icon_color: 7_322_096 } },
      },
    ),
    exchange(
      "a message is sent into a topic",
      "sendMessage",
      (emulator) => ({
        chat_id: CHATS.forum,
        message_thread_id: Number(emulator.openThread(CHATS.forum, "Plan")),
        text: "Hello",
      }),
      {
        status: 200,
        body: {
          ok: true,
          result: {
            ...{ message_id: 13, from: BOT, chat: FORUM, date: 1_764_500_002, text: "Hello" },
            ...{ message_thread_id: 12, is_topic_message: true },
            reply_to_message: {
              ...{ message_id: 12, from: BOT, chat: FORUM, date: 1_764_500_001 },
              ...{ message_thread_id: 12, is_topic_message: true },
              forum_topic_created: { name: "Plan", icon_color: 7_322_096 },
            },
          },
        },
      },
      { optional: ["result.reply_to_message.from.username"] },
    ),
    exchange(
      "a chat that there is not is refused",
      "sendMessage",
      { chat_id: 1, text: "Hello" },
      {
        status: 400,
        body: refused(400, "Bad Request: chat not found"),
      },
    ),
    exchange(
      "a method that there is not is refused",
      "sendNothing",
      {},
      {
        status: 404,
        body: refused(404, "Not Found"),
      },
    ),
  ],
};
