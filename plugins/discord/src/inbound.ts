import { extname } from "node:path";
import {
  type Attachment,
  type Download,
  describeItem,
  type InboundMessage,
  type Quote,
  type Reference,
  type SharedItem,
  shortName,
} from "@hermes/core";
import {
  type APIAttachment,
  type APIMessage,
  type APIUser,
  type Client,
  type GatewayMessageCreateDispatchData,
  MessageReferenceType,
  MessageType,
} from "discord.js";
import type { Channels } from "./channels.ts";
import type { Identity } from "./gateway-connection.ts";
import { type Channel, conversationIn, isThread } from "./source.ts";

/** A message from the gateway, or one that was fetched: that one lacks the server and the member. */
export type RawMessage = APIMessage & Partial<Pick<GatewayMessageCreateDispatchData, "guild_id" | "member">>;

export interface InboundParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly identity: Identity;
  /** Names of slash commands: who writes one by hand means Hermes, too. */
  readonly commandNames: ReadonlySet<string>;
}

/** What people write themselves. Others are news of Discord's: somebody joined, a thread began. */
const WRITTEN: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/** Whether a message is somebody's word to others: not the bot's own, in whatever way it was posted. */
export function isWorthReading(message: RawMessage, { identity }: InboundParts): boolean {
  if (!WRITTEN.includes(message.type) || message.author.id === identity.userId) return false;
  // A webhook has an id of its own as its author; whose it is, the application tells.
  return message.webhook_id === undefined || message.application_id !== identity.applicationId;
}

/** Reads a message. Null when nobody can be answered where it stands, or when it says nothing and never did. */
export async function decodeMessage(
  message: RawMessage,
  parts: InboundParts,
  { isEdit = false }: { readonly isEdit?: boolean } = {},
): Promise<InboundMessage | null> {
  const { client, channels, identity, commandNames } = parts;
  const channel = await channels.find(message.channel_id);
  if (channel === null) return null;
  const botRoles = rolesOf(client, channel.guildId, identity.userId);
  const attachments = [...message.attachments, ...forwardedFiles(message)].map(toAttachment);
  const read = (one: Pick<APIMessage, "content" | "mentions">) =>
    readMentions(one, { client, botId: identity.userId, botRoles });
  const text = read(message).trim();
  const quotes = quotesOf(message, read, (id) => {
    const from = channels.known(id);
    return from === null ? undefined : chatName(from, channels);
  });
  const items = itemsOf(message);
  const isEmpty = text === "" && quotes.length === 0 && attachments.length === 0 && items.length === 0;
  const isUnreadable = isEmpty && (message.sticker_items ?? []).length > 0;
  if (isEmpty && !isUnreadable && !isEdit) return null;
  const refersTo = referenceOf(message, read, identity);
  const name = chatName(channel, channels);
  return {
    conversation: conversationIn(channel),
    messageId: message.id,
    sender: senderOf(message),
    text,
    sentAt: Date.parse(message.timestamp),
    isAddressed:
      message.mentions.some(({ id }) => id === identity.userId) ||
      message.mention_roles.some((id) => botRoles.includes(id)) ||
      message.referenced_message?.author.id === identity.userId ||
      isCommand(text, commandNames),
    ...(isEdit && { isEdit }),
    ...((isEdit || attachments.length > 0) && { attachments }),
    ...((isEdit || quotes.length > 0) && { quotes }),
    ...(refersTo !== null && { refersTo }),
    ...((isEdit || items.length > 0) && { items }),
    ...(isUnreadable && { unreadable: "sticker" }),
    ...(name !== undefined && { chatName: name }),
  };
}

function isCommand(text: string, names: ReadonlySet<string>): boolean {
  const [, name] = /^\/(\S+)/.exec(text) ?? [];
  return name !== undefined && names.has(name.toLowerCase());
}

/** What a message replies to; null where it does not, or that was deleted. */
function referenceOf(
  { referenced_message: replied, message_reference: reference }: RawMessage,
  read: (one: Readable) => string,
  { userId, applicationId }: Identity,
): Reference | null {
  if (!replied || reference?.type === MessageReferenceType.Forward) return null;
  const passedOn = snapshotsOf(replied).map((one) => read(one).trim());
  const items = itemsOf(replied).map((item) => `(${describeItem(item)})`);
  const isOwn = replied.author.id === userId || (replied.webhook_id && replied.application_id === applicationId);
  return {
    messageId: replied.id,
    text: [read(replied).trim(), ...passedOn, ...items].filter((part) => part !== "").join("\n"),
    // Who wrote what was passed on, Discord does not tell.
    ...(isOwn ? { isOwn: true } : passedOn.length > 0 ? {} : { writer: senderOf(replied) }),
  };
}

function itemsOf({ poll }: Pick<APIMessage, "poll">): SharedItem[] {
  if (!poll) return [];
  const options = poll.answers.map(({ poll_media: { text, emoji } }) => text ?? emoji?.name ?? "");
  return [{ kind: "poll", question: poll.question.text ?? "", options }];
}

function senderOf({ author, member, webhook_id: webhookId }: RawMessage): InboundMessage["sender"] {
  return { id: author.id, name: nameOf(author, member?.nick), isBot: author.bot === true || webhookId !== undefined };
}

export function nameOf(user: APIUser, nick?: string | null): string {
  return nick ?? user.global_name ?? user.username;
}

/** Roles that stand for the bot: Discord makes one for each bot, and people mention that one by mistake. */
function rolesOf(client: Client, guildId: string | null, botId: string): string[] {
  const guild = guildId === null ? undefined : client.guilds.cache.get(guildId);
  return guild ? [...guild.roles.cache.filter(({ tags }) => tags?.botId === botId).keys()] : [];
}

export function chatName(channel: Channel, channels: Channels): string | undefined {
  if (channel.name === null || channel.guildId === null) return undefined;
  if (!isThread(channel) || channel.parentId === null) return `#${channel.name}`;
  const parent = channels.known(channel.parentId)?.name;
  return parent ? `#${parent} › ${channel.name}` : channel.name;
}

/** The title is the name as it was before Discord cleaned it, without its ending. */
function toAttachment({ filename, title, size, content_type: mediaType, url }: APIAttachment): Attachment {
  // No credential goes along.
  const download: Download = ({ signal }) => fetch(url, { redirect: "follow", signal });
  const name = title ? `${title}${extname(filename)}` : filename;
  return { name, mediaType: mediaType ?? "application/octet-stream", size, download };
}

type Readable = Pick<APIMessage, "content" | "mentions">;
type Forwarding = Pick<APIMessage, "message_reference" | "message_snapshots">;

/** The messages that a message passes on. */
function snapshotsOf({ message_reference: reference, message_snapshots: snapshots = [] }: Forwarding) {
  return reference?.type === MessageReferenceType.Forward ? snapshots.map(({ message }) => message) : [];
}

/** The files of what a message passes on. */
export function forwardedFiles(message: Forwarding): APIAttachment[] {
  return snapshotsOf(message).flatMap(({ attachments = [] }) => attachments);
}

/** What a message passes on of others. Discord tells the channel that it stood in, and not who wrote it. */
export function quotesOf(
  message: Forwarding,
  read: (one: Readable) => string,
  nameOf: (channelId: string) => string | undefined,
): Quote[] {
  const origin = nameOf(message.message_reference?.channel_id ?? "");
  return snapshotsOf(message)
    .map((one) => ({ text: read(one).trim(), hasFiles: (one.attachments ?? []).length > 0 }))
    .filter(({ text, hasFiles }) => text !== "" || hasFiles)
    .map(({ text }) => ({ kind: "forward", text, ...(origin === undefined ? {} : { origin }) }));
}

/**
 * What Discord writes into a text for users, roles, channels, commands, emoji and times (API reference, "Message
 * Formatting"). The rest of a text is Markdown already.
 */
const TOKEN =
  /<(?:@!?(?<user>\d+)|@&(?<role>\d+)|#(?<channel>\d+)|\/(?<command>[^:>]+):\d+|a?:(?<emoji>\w+):\d+|t:(?<time>-?\d+)(?::[tTdDfFR])?)>/g;

interface MentionContext {
  readonly client: Client;
  readonly botId: string;
  /** Roles that stand for the bot. */
  readonly botRoles: readonly string[];
}

/** The text with names in the place of ids; a mention of the bot at its beginning or end addresses it, and is left out. */
function readMentions(
  { content, mentions }: Pick<APIMessage, "content" | "mentions">,
  { client, botId, botRoles }: MentionContext,
): string {
  const isBot = (id: string | undefined) => id !== undefined && (id === botId || botRoles.includes(id));
  return content
    .replaceAll(TOKEN, (token, ...rest) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const { user, role, channel, command, emoji, time } = groups;
      if (isBot(user) || isBot(role)) return BOT_MARK;
      if (user) {
        const mentioned = mentions.find(({ id }) => id === user);
        return `@${shortName(mentioned?.global_name ?? mentioned?.username ?? "") || user}`;
      }
      if (role) return `@${shortName(roleName(client, role) ?? "") || role}`;
      if (channel) return `#${shortName(channelName(client, channel) ?? "") || channel}`;
      if (command) return `/${shortName(command)}`;
      if (emoji) return `:${emoji}:`;
      return time ? timeText(time, token) : token;
    })
    .replace(EDGE_MARKS, "")
    .replaceAll(BOT_MARK, `@${shortName(client.user?.displayName ?? "") || "bot"}`);
}

/** Stands for the bot until it is known whether it is only addressed. No text from outside holds it. */
const BOT_MARK = "\u{f0000}bot\u{f0000}";

const EDGE_MARKS = new RegExp(`^\\s*(?:${BOT_MARK}[\\s,:]*)+|(?:\\s*${BOT_MARK})+\\s*$`, "gu");

function roleName(client: Client, id: string): string | undefined {
  for (const guild of client.guilds.cache.values()) {
    const role = guild.roles.cache.get(id);
    if (role) return role.name;
  }
  return undefined;
}

function channelName(client: Client, id: string): string | undefined {
  const channel = client.channels.cache.get(id);
  return channel && "name" in channel ? (channel.name ?? undefined) : undefined;
}

function timeText(seconds: string, token: string): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? token : date.toISOString();
}
