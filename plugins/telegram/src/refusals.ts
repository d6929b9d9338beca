import { type PlatformError, platformErrors } from "@hermes/core";
import { THREADED_MODE } from "./settings.ts";
import { PLATFORM } from "./source.ts";

/** What the Bot API answers instead of a result ("Making requests"). */
export interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

export const errors = platformErrors(PLATFORM);
const { forbidden, threadGone, unavailable } = errors;

/** The topic is gone, or nobody but administrators can write in it any more. */
const THREAD_GONE = /message thread not found|TOPIC_(?:DELETED|ID_INVALID|CLOSED)/i;
const CHAT_UNKNOWN = /chat not found|PEER_ID_INVALID|chat_id is empty|group chat was deactivated/i;
const MESSAGE_UNKNOWN = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i;
const RIGHT_MISSING = /not enough rights|have no rights|need administrator rights|CHAT_\w+_FORBIDDEN|CHAT_RESTRICTED/i;

/** The Bot API says it of private chats ("createForumTopic"), and not which of the two switches is at fault. */
const THREADED_MODE_HINT = `${THREADED_MODE} It has to be on, and must not keep people from creating topics. Then hand off again.`;

/** The refusal does not say in what kind of chat it was. */
const RIGHTS_HINT =
  "In a group, an administrator gives the bot the right; in a private chat, open it in Telegram and press Start.";

/** A refusal of the Bot API, as Hermes' own error. */
export function fromRefusal({ error_code: code, description, parameters }: Refusal): PlatformError {
  const reason = description.replace(/^(?:Bad Request|Forbidden|Conflict|Not Found|Internal Server Error): /, "");
  if (code === 401 || description === "Not Found") return errors.unauthorised();
  if (code === 429) return errors.rateLimited((parameters?.retry_after ?? 1) * 1_000);
  if (code >= 500) return unavailable(`its server answered ${code}`);
  if (THREAD_GONE.test(description)) return threadGone();
  if (description.includes("BOT_FORUM_CREATE_FORBIDDEN")) return forbidden(reason, THREADED_MODE_HINT);
  if (code === 403) return forbidden(reason, hintOf403(description));
  if (CHAT_UNKNOWN.test(description)) return chatUnknown();
  if (MESSAGE_UNKNOWN.test(description)) return messageUnknown(reason);
  if (RIGHT_MISSING.test(description)) return forbidden(reason, RIGHTS_HINT);
  return rejected(reason);
}

function hintOf403(description: string): string {
  if (/blocked by the user|can't initiate conversation/.test(description)) {
    return "Open the chat with the bot in Telegram, and press Start.";
  }
  if (/kicked|not a member/.test(description)) return "Add the bot to the group again.";
  return "Look at the bot's rights in that chat.";
}

function chatUnknown(): PlatformError {
  return errors.notFound(
    "the bot cannot see it",
    "Either the id is wrong, or nobody has pressed Start in the private chat with the bot, or the bot is not a member " +
      "of the group, or the group has become a supergroup, which has another id (-100…).",
  );
}

export function messageUnknown(reason: string): PlatformError {
  return errors.notFound(reason, "It is sent as a new message.");
}

function rejected(reason: string): PlatformError {
  return errors.rejected(reason, "What it means is in Telegram's documentation of the Bot API.");
}
