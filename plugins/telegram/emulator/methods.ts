import { answerCallbackQuery } from "./keyboard.ts";
import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import { deleteMessage, editMessageText, sendChatAction, sendDocument, sendMessage, sendPhoto } from "./sending.ts";
import { closeForumTopic, createForumTopic, deleteForumTopic, getMe } from "./topics.ts";
import { BOT, type World } from "./world.ts";

/** A method of the Bot API ("Available methods"), by its name in small letters. Throws a Refusal. */
export const METHODS: Readonly<Record<string, (world: World, params: Params) => unknown>> = {
  getme: getMe,
  sendmessage: sendMessage,
  senddocument: sendDocument,
  sendphoto: sendPhoto,
  editmessagetext: editMessageText,
  deletemessage: deleteMessage,
  sendchataction: sendChatAction,
  createforumtopic: createForumTopic,
  deleteforumtopic: deleteForumTopic,
  closeforumtopic: closeForumTopic,
  getchat: getChat,
  getchatmember: getChatMember,
  getchatmembercount: getChatMemberCount,
  answercallbackquery: answerCallbackQuery,
  getfile: getFile,
  setmycommands: setMyCommands,
  getmycommands: (world) => world.commands,
  deletewebhook: deleteWebhook,
  getwebhookinfo: (world) => ({ url: world.webhook, has_custom_certificate: false, pending_update_count: 0 }),
};

/** The names by which a failure may be scripted for a method, beside its own. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  getme: "connect",
  getupdates: "connect",
  sendmessage: "send",
  senddocument: "send",
  sendphoto: "send",
  editmessagetext: "edit",
  createforumtopic: "createThread",
  deleteforumtopic: "deleteThread",
  sendchataction: "typing",
  getchat: "home",
};

function getChat(world: World, params: Params): unknown {
  const chat = world.chat(params.chatId());
  if (chat.type !== "private") world.checkMember(chat);
  const permissions = chat.type === "private" ? {} : { permissions: { can_send_messages: chat.mayMembersWrite } };
  return { ...chat.wire, ...permissions, accent_color_id: 0, max_reaction_count: 11 };
}

/** The bot, and the one person of this Telegram. */
function getChatMemberCount(world: World, params: Params): number {
  const chat = world.chat(params.chatId());
  world.checkMember(chat);
  return 2;
}

function getChatMember(world: World, params: Params): unknown {
  const chat = world.chat(params.chatId());
  const id = params.number("user_id");
  if (id !== BOT.id) return { status: "member", user: { id, is_bot: false, first_name: "Person" } };
  const has = (right: Parameters<typeof world.may>[1]) => chat.rights.has(right);
  if (chat.botStatus === "administrator") {
    return {
      status: "administrator",
      user: BOT,
      can_manage_topics: has("can_manage_topics"),
      can_delete_messages: has("can_delete_messages"),
    };
  }
  if (chat.botStatus === "member" && !has("can_send_messages")) {
    return { status: "restricted", user: BOT, is_member: true, can_send_messages: false, can_manage_topics: false };
  }
  return { status: chat.botStatus, user: BOT };
}

function getFile(world: World, params: Params): unknown {
  const id = params.text("file_id");
  const file = world.files.get(id);
  if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
  return { file_id: id, file_unique_id: id, file_size: file.content.length, file_path: file.path };
}

function setMyCommands(world: World, params: Params): true {
  const commands = params.list<{ command?: unknown; description?: unknown }>("commands");
  if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(String(command))) throw badRequest("BOT_COMMAND_INVALID");
    const length = typeof description === "string" ? description.length : 0;
    if (length < 1 || length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
  }
  world.commands = commands;
  return true;
}

function deleteWebhook(world: World): true {
  world.webhook = "";
  return true;
}
