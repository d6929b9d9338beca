import { PlatformError, platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

/** What the Bot API answers instead of a result ("Making requests"); grammY throws it as a GrammyError. */
export interface Refusal {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

const errors = platformErrors(PLATFORM);
export const { forbidden, threadGone, unavailable } = errors;

// Where people find the settings that Hermes needs, for errors and for the set-up. README.md names the same.

/** Topics in private chats. It stands in @BotFather's Mini App only; the menu of `/mybots` does not list it. */
export const THREADED_MODE = "In @BotFather's profile: Open App, the bot, Settings, Bot Settings, Threaded Mode.";

export const TOPICS = "In the group: its name, Edit, Topics. This turns a basic group into a supergroup.";

export const MANAGE_TOPICS = "In the group: its name, Edit, Administrators, the bot, Manage Topics.";

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

/** A refusal of the Bot API, as Hermes' own error. `mayBeDone`: whether the call may have been done all the same. */
export function fromRefusal(
  { error_code: code, description, parameters }: Refusal,
  { mayBeDone = false } = {},
): PlatformError {
  const reason = description.replace(/^(?:Bad Request|Forbidden|Conflict|Not Found|Internal Server Error): /, "");
  if (code === 401 || description === "Not Found") return errors.unauthorised();
  if (code === 429) return errors.rateLimited((parameters?.retry_after ?? 1) * 1_000);
  if (code >= 500) return errors.serverFailed(code, { mayBeDone });
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
  return errors.rejected(reason, "Telegram's documentation of the Bot API says what it means.");
}

/**
 * What grammY threw, as Hermes' own error. Nothing of the original goes along: a failed request's error quotes its
 * address, and the token is in that. `mayBeDone`: whether it may have been done where its answer was lost, or was the
 * server's own failure.
 */
export function toPlatformError(error: unknown, { mayBeDone = false } = {}): PlatformError {
  if (error instanceof PlatformError) return error;
  if (isRefusal(error)) return fromRefusal(error, { mayBeDone });
  const { name, error: inner = error } = Object(error) as { readonly name?: unknown; readonly error?: unknown };
  const thrown = name === "HttpError" ? inner : error;
  // Of node-fetch, which grammY calls.
  const { type } = Object(thrown) as { readonly type?: unknown };
  if (type === "no-redirect") return unavailable("its server redirects elsewhere, which is not followed");
  if (type !== "invalid-json") return errors.lost(thrown, { mayBeDone });
  const reason = "the server that answered is not a Bot API";
  return mayBeDone ? errors.uncertain(reason) : unavailable(reason);
}

/** Tells by its fields, so that a check of the set-up need not load grammY. */
export function isRefusal(answer: unknown): answer is Refusal {
  const { error_code: code, description } = Object(answer) as Partial<Record<keyof Refusal, unknown>>;
  return typeof code === "number" && typeof description === "string";
}

/** The id of the supergroup that the group has become; null when the error says no such thing. */
export function migratedTo(error: unknown): string | null {
  const id = isRefusal(error) ? error.parameters?.migrate_to_chat_id : undefined;
  return id === undefined ? null : String(id);
}

/** The platform refused the formatting rather than the text. */
export function isMarkupRefusal(error: unknown): boolean {
  return isRefusal(error) && error.error_code === 400 && /entit(?:y|ies)/i.test(error.description);
}

/** A picture that is too wide or cannot be read is none for Telegram ("sendPhoto"): it is a document. */
export function isNoPhoto(error: unknown): boolean {
  return isRefusal(error) && /PHOTO_\w+|IMAGE_PROCESS_FAILED/.test(error.description);
}

/** An edit changed nothing: what was to be shown is there. */
export function isUnchanged(error: unknown): boolean {
  return isRefusal(error) && error.description.includes("message is not modified");
}

/** A message that was to be deleted is not there any more. */
export function isDeleted(error: unknown): boolean {
  return isRefusal(error) && error.description.includes("message to delete not found");
}
