import { type PlayableFailure, playable, refusals } from "@hermes/emulator";

/** Calls in Hermes' words, and by the Bot API's own names. */
const CALLS = [
  ...["connect", "send", "edit", "createThread", "deleteThread", "typing", "home"],
  ...[
    "getMe",
    "getUpdates",
    "sendMessage",
    "sendDocument",
    "sendPhoto",
    "editMessageText",
    "deleteMessage",
    "sendChatAction",
  ],
  ...["createForumTopic", "deleteForumTopic", "closeForumTopic", "getChat", "getChatMember", "getFile"],
  ...["setMyCommands", "getMyCommands", "deleteWebhook", "getWebhookInfo", "getChatMemberCount", "answerCallbackQuery"],
];

/** What the Bot API says behind `Bad Request: `, or as a whole where it is no bad request. */
const REFUSALS = {
  Unauthorized: "The token is wrong, or was revoked in @BotFather.",
  Conflict: "Another program polls with the same token.",
  "Not Found": "There is no such method, or the token has no form of one.",
  "chat not found": "The bot cannot see the chat.",
  "message thread not found": "The topic is gone.",
  TOPIC_DELETED: "The topic was deleted.",
  TOPIC_CLOSED: "The topic was closed, and the bot may not manage topics.",
  TOPIC_ID_INVALID: "There is no such topic.",
  "the chat is not a forum": "Topics are off in the group.",
  BOT_FORUM_CREATE_FORBIDDEN: "Threaded Mode is off, or keeps topics from being created.",
  "not enough rights to create a topic": "The bot lacks the right to manage topics.",
  "not enough rights to send text messages to the chat": "The bot may not write in the chat.",
  CHAT_WRITE_FORBIDDEN: "Nobody but administrators may write in the chat.",
  "message is too long": "The text is longer than a message may be.",
  "message text is empty": "The message has no text.",
  "message is not modified": "The edit changes nothing.",
  "message to edit not found": "The message that is edited is gone.",
  "message can't be edited": "The message is not the bot's, or is too old.",
  "query is too old and response timeout expired or query ID is invalid": "The press was made too long ago.",
  "can't parse entities": "The formatting is refused.",
  BOT_COMMAND_INVALID: "The name of a command is refused.",
  "Forbidden: BOT_FORUM_CREATE_FORBIDDEN": "Threaded Mode is off, or keeps topics from being created.",
  "Forbidden: bot was blocked by the user": "The person has blocked the bot.",
  "Forbidden: bot can't initiate conversation with a user": "The person has never pressed Start.",
  "Forbidden: bot was kicked from the group chat": "The bot was removed from the group.",
  "Forbidden: bot was kicked from the supergroup chat": "The bot was removed from the supergroup.",
  "Forbidden: bot is not a member of the supergroup chat": "The bot is not in the supergroup.",
};

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...playable(["redeliver", "out-of-order"], ["deliver"]),
];
