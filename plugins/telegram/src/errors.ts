import { PlatformError, platformErrors, wasNeverSent } from "@hermes/core";
import { GrammyError, HttpError } from "grammy";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);
export const { forbidden, threadGone, unavailable } = errors;

/** The topic is gone, or nobody but administrators can write in it any more. */
const THREAD_GONE = /message thread not found|TOPIC_(?:DELETED|ID_INVALID|CLOSED)/i;
const CHAT_UNKNOWN = /chat not found|PEER_ID_INVALID|chat_id is empty|group chat was deactivated/i;
const MESSAGE_UNKNOWN = /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i;
const RIGHT_MISSING = /not enough rights|have no rights|need administrator rights|CHAT_\w+_FORBIDDEN|CHAT_RESTRICTED/i;

/** The Bot API says it of private chats ("createForumTopic"), and not which of the two switches is at fault. */
const THREADED_MODE =
  "In @BotFather's profile: Open App, the bot, Settings, Bot Settings, Threaded Mode. It has to be on, and must not " +
  "keep people from creating topics. Then hand off again.";

/** The refusal does not say in what kind of chat it was. */
const RIGHTS_HINT =
  "In a group, an administrator gives the bot the right; in a private chat, open it in Telegram and press Start.";

/**
 * What grammY threw, as Hermes' own error. Nothing of the original goes along: a failed request's error quotes its
 * address, and the token is in that. `mayBeDone`: whether an answer that was lost may mean that it was done.
 */
export function toPlatformError(error: unknown, { mayBeDone = false } = {}): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof GrammyError) return fromRefusal(error);
  const reason = connectionProblem(error);
  return mayBeDone && !wasNeverSent(reason)
    ? errors.uncertain(`the answer was lost (${reason})`)
    : unavailable(`the connection failed (${reason})`);
}

function fromRefusal({ error_code: code, description, parameters }: GrammyError): PlatformError {
  const reason = description.replace(/^(?:Bad Request|Forbidden|Conflict|Not Found|Internal Server Error): /, "");
  if (code === 401 || description === "Not Found") return errors.unauthorised();
  if (code === 429) return errors.rateLimited((parameters.retry_after ?? 1) * 1_000);
  if (code >= 500) return unavailable(`its server answered ${code}`);
  if (THREAD_GONE.test(description)) return threadGone();
  if (description.includes("BOT_FORUM_CREATE_FORBIDDEN")) return forbidden(reason, THREADED_MODE);
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

/** The group has become a supergroup with this id; null when the error says no such thing. */
export function migratedTo(error: unknown): string | null {
  const id = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return id === undefined ? null : String(id);
}

/** The platform refused the formatting rather than the text. */
export function isMarkupRefusal(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 400 && /entit(?:y|ies)/i.test(error.description);
}

/** An edit changed nothing: what was to be shown is there. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof GrammyError && error.description.includes("message is not modified");
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

/** What went wrong with a connection, in a word or two and without the address. */
function connectionProblem(error: unknown): string {
  const inner: unknown = error instanceof HttpError ? error.error : error;
  if (typeof inner !== "object" || inner === null) return "no reason was given";
  const { code, name, type } = inner as { readonly code?: unknown; readonly name?: unknown; readonly type?: unknown };
  if (typeof code === "string") return code;
  if (name === "AbortError") return "it took too long";
  if (type === "invalid-json") return "what answered is no Bot API";
  return typeof name === "string" ? name : "no reason was given";
}
