import type { CommandInfo, InboundMessage, Sender } from "@hermes/core";
import {
  attachmentsOf,
  contentsOf,
  type DownloadOptions,
  quotesOf,
  type SlackAttachment,
  type SlackFile,
  sharedFiles,
} from "./attachments.ts";
import type { Directory } from "./directory.ts";
import type { Identity } from "./identity.ts";
import { type Names, toMarkdown } from "./mrkdwn.ts";
import { conversationOf, placeOf, timeOf } from "./source.ts";

/** A message as events show it; the same in `message`, `app_mention` and, nested, `message_changed`. */
export interface SlackMessage {
  readonly channel?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
  readonly parent_user_id?: string;
  readonly user?: string;
  readonly username?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly subtype?: string;
  readonly text?: string;
  readonly files?: readonly SlackFile[];
  readonly attachments?: readonly SlackAttachment[];
  readonly edited?: unknown;
}

export interface SlackMessageEvent extends SlackMessage {
  /** Of `message_changed`. */
  readonly message?: SlackMessage;
  readonly previous_message?: SlackMessage;
  /** Of `message_deleted`. */
  readonly deleted_ts?: string;
}

/**
 * The message that an event tells is deleted, by its writer or by an administrator: Slack has checked that they may. One
 * that has answers leaves a tombstone. Null for all others.
 */
export function deletedIn(event: SlackMessageEvent): SlackMessage | null {
  const { subtype, deleted_ts: ts, previous_message: before, message } = event;
  if (subtype === "message_deleted" && ts !== undefined) return { ...before, ts };
  return subtype === "message_changed" && message?.subtype === "tombstone" ? message : null;
}

/** What stands around an event. */
export interface SlackEventBody {
  readonly team_id?: string | null;
  readonly context_team_id?: string | null;
  readonly api_app_id?: string;
  readonly authorizations?: readonly { readonly team_id?: string | null }[] | null;
}

export interface SlackCommand {
  readonly team_id: string;
  readonly channel_id: string;
  readonly channel_name: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly text?: string;
  readonly trigger_id: string;
}

export interface DecodeDeps {
  readonly self: Identity;
  readonly directory: Directory;
  readonly commands: readonly CommandInfo[];
  readonly files: DownloadOptions;
}

/** Messages that somebody wrote; every other subtype tells of something that happened. */
const WRITTEN: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "me_message",
  "thread_broadcast",
  "bot_message",
]);

/** Slack itself speaks as these. */
const SLACK_USERS = new Set(["USLACK", "USLACKBOT"]);

/**
 * The message of a `message` or `app_mention` event; null for what nobody wrote, and for our own. A mention comes as both
 * events, in either order, and makes the same message of both.
 */
export async function decodeEvent(
  event: SlackMessageEvent,
  body: SlackEventBody,
  deps: DecodeDeps,
): Promise<InboundMessage | null> {
  if (event.subtype !== "message_changed") return decodeMessage(event, event.channel, body, deps);
  const { message, previous_message: before } = event;
  if (message === undefined || !isEdited(message, before)) return null;
  return decodeMessage(message, event.channel, body, deps, { isEdit: true });
}

/**
 * Whether its writer changed a message: its words, or its files and what it shares, by which Slack does not call it edited.
 * A link's preview, a pinned message and the like change it too, and nobody wrote anything.
 */
function isEdited(message: SlackMessage, before: SlackMessage | undefined): boolean {
  if (message.edited && message.text !== before?.text) return true;
  return before !== undefined && contentsOf(message) !== contentsOf(before);
}

/** The message that a slash command stands for. It has no `ts`, and speaks of the channel and never of a thread. */
export function decodeCommand(command: SlackCommand, now: number, deps: DecodeDeps): InboundMessage | null {
  const { team_id: teamId, channel_id: channel, channel_name: channelName, user_id: id, user_name: name } = command;
  if (teamId !== deps.self.teamId) return null;
  const conversation = conversationOf(channel, teamId);
  return {
    conversation,
    messageId: `command:${command.trigger_id}`,
    sender: { id, name },
    text: fromSlashCommand(command.text ?? "", deps.commands),
    sentAt: now,
    isAddressed: true,
    ...(conversation.kind === "dm" ? {} : { chatName: channelName }),
  };
}

/** Whether somebody wrote it just now: what changes a message, or tells of something else, is none of its own. */
export function isWritten({ subtype, channel, ts }: SlackMessageEvent): boolean {
  return WRITTEN.has(subtype) && channel !== undefined && ts !== undefined;
}

export async function decodeMessage(
  message: SlackMessage,
  channel: string | undefined,
  body: SlackEventBody,
  deps: DecodeDeps,
  { isEdit = false }: { readonly isEdit?: boolean } = {},
): Promise<InboundMessage | null> {
  const { ts, text = "", files = [] } = message;
  if (channel === undefined || ts === undefined || !WRITTEN.has(message.subtype)) return null;
  if (isOwn(message, body, deps.self)) return null;
  const { self, directory, commands } = deps;
  const names: Names = {
    user: (id) => (id === self.userId ? Promise.resolve(self.name) : directory.userName(id)),
    channel: (id) => directory.channelName(id),
  };
  const attachments = attachmentsOf([...files, ...sharedFiles(message.attachments)], deps.files);
  const [markdown, quotes, sender, chatName] = await Promise.all([
    toMarkdown(withoutMention(text, self.userId), names),
    quotesOf(message.attachments, (one) => toMarkdown(one, names)),
    senderOf(message, directory),
    directory.channelName(channel),
  ]);
  const said = fromBang(markdown.trim());
  const isMentioned = mentions(text, self.userId);
  const isEmpty = said === "" && quotes.length === 0 && attachments.length === 0;
  if (isEmpty && !isMentioned && !isEdit) return null;
  const isAddressed = isMentioned || message.parent_user_id === self.userId || isKnownCommand(said, commands);
  return {
    ...placeOf({ channel, ts, thread_ts: message.thread_ts }, self.teamId),
    messageId: ts,
    sender,
    // Somebody who only calls the bot has said that much.
    text: isEmpty && isMentioned ? `@${self.name}` : said,
    sentAt: timeOf(ts),
    isAddressed,
    ...(isEdit ? { isEdit } : {}),
    ...(isEdit || attachments.length > 0 ? { attachments } : {}),
    ...(isEdit || quotes.length > 0 ? { quotes } : {}),
    ...(chatName === undefined ? {} : { chatName }),
  };
}

/**
 * Whether the event is for this installation of the app: a socket brings the events of every workspace that it is
 * installed in. In a channel shared with others the outer id may be theirs, and the authorisation is ours.
 */
export function isOfWorkspace({ team_id, context_team_id, authorizations }: SlackEventBody, teamId: string): boolean {
  const ids = [team_id, context_team_id, ...(authorizations ?? []).map((one) => one.team_id)];
  return ids.includes(teamId);
}

/** By our user, our bot, or a webhook of our app, which has a bot id of its own. */
function isOwn({ user, bot_id: botId, app_id: appId }: SlackMessage, body: SlackEventBody, self: Identity): boolean {
  if (user === self.userId || botId === self.botId) return true;
  return botId !== undefined && appId !== undefined && appId === body.api_app_id;
}

async function senderOf(message: SlackMessage, directory: Directory): Promise<Sender> {
  const { user, bot_id: botId, username } = message;
  const isBot = botId !== undefined || user === undefined || SLACK_USERS.has(user);
  const id = user ?? botId ?? "unknown";
  const name = username ?? (user === undefined ? undefined : await directory.userName(user));
  return {
    id,
    ...(botId === undefined || botId === id ? {} : { aliases: [botId] }),
    ...(name === undefined ? {} : { name }),
    ...(isBot ? { isBot } : {}),
  };
}

function mentions(text: string, userId: string): boolean {
  return text.includes(`<@${userId}>`) || text.includes(`<@${userId}|`);
}

/** A message that begins by calling the bot says what stands behind that. */
function withoutMention(text: string, userId: string): string {
  const trimmed = text.trimStart();
  const mention = [`<@${userId}>`, `<@${userId}|`].find((start) => trimmed.startsWith(start));
  if (mention === undefined) return text;
  return trimmed.slice(trimmed.indexOf(">") + 1).replace(/^[\s,:]+/, "");
}

/**
 * What was written after the app's one slash command (`/hermes title Trip to Rome`) as the text of a message: a command
 * where the first word is one, or is the only word and so can be nothing else; help for nothing at all.
 */
export function fromSlashCommand(text: string, commands: readonly CommandInfo[]): string {
  const said = text.trim();
  if (said === "") return "/help";
  if (said.startsWith("/")) return said;
  const [word = ""] = said.split(/\s/, 1);
  return isCommand(word, commands) || /^[a-z][\w-]*$/i.test(said) ? `/${said}` : said;
}

/** `!title Trip to Rome`: Slack has no slash commands in threads. A name that is no command is one that was mistyped. */
export function fromBang(text: string): string {
  return /^![a-z][\w-]*(?=\s|$)/i.test(text) ? `/${text.slice(1)}` : text;
}

/** Other bots have commands, too: one that Hermes does not know is for it only where everything is. */
function isKnownCommand(text: string, commands: readonly CommandInfo[]): boolean {
  const [, word = ""] = /^\/([a-z][\w-]*)(?=\s|$)/i.exec(text) ?? [];
  return isCommand(word, commands);
}

function isCommand(word: string, commands: readonly CommandInfo[]): boolean {
  return commands.some(({ name }) => name === word.toLowerCase());
}
