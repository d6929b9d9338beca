import type { InboundMessage, Logger } from "@hermes/core";
import {
  type APIMessage,
  type APIUser,
  type Client,
  type GatewayMessageCreateDispatchData,
  MessageType,
} from "discord.js";
import { named, readAttachments } from "./attachments.ts";
import type { Channels } from "./channels.ts";
import type { Identity } from "./connection.ts";
import { forwardedFiles, quotesOf } from "./forward.ts";
import { readMentions } from "./mentions.ts";
import { type Channel, conversationIn, isThread } from "./source.ts";

/** A message from the gateway, or one that was fetched: that one lacks the server and the member. */
export type RawMessage = APIMessage & Partial<Pick<GatewayMessageCreateDispatchData, "guild_id" | "member">>;

export interface InboundParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly identity: Identity;
  /** Whether somebody's files are worth a download: those of a stranger are not. */
  readonly mayBeAnswered: (senderId: string, isDirect: boolean) => boolean;
  /** Names of slash commands: who writes one by hand means Hermes, too. */
  readonly commandNames: ReadonlySet<string>;
  readonly logger: Logger;
}

/** What people write themselves. Others are news of Discord's: somebody joined, a thread began. */
const WRITTEN: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/** Whether a message is somebody's word to others: not the bot's own, in whatever way it was posted. */
export function isWorthReading(message: RawMessage, { identity }: InboundParts): boolean {
  if (!WRITTEN.includes(message.type) || message.author.id === identity.userId) return false;
  // A webhook has an id of its own as its author; whose it is, the application tells.
  return message.webhook_id === undefined || message.application_id !== identity.applicationId;
}

/** Reads a message. Null when nobody can be answered where it stands, or when it says nothing. */
export async function decodeMessage(
  message: RawMessage,
  parts: InboundParts,
  { isEdit = false }: { readonly isEdit?: boolean } = {},
): Promise<InboundMessage | null> {
  const { client, channels, identity, commandNames, logger } = parts;
  const channel = await channels.find(message.channel_id);
  if (channel === null) return null;
  const botRoles = rolesOf(client, channel.guildId, identity.userId);
  const isExpected = parts.mayBeAnswered(message.author.id, channel.guildId === null);
  const files = [...message.attachments, ...forwardedFiles(message)];
  const attachments = isExpected ? await readAttachments(files, logger) : files.map(named);
  const read = (one: Pick<APIMessage, "content" | "mentions">) =>
    readMentions(one, { client, botId: identity.userId, botRoles });
  const text = read(message).trim();
  const quotes = quotesOf(message, read, (id) => {
    const from = channels.known(id);
    return from === null ? undefined : chatName(from, channels);
  });
  if (text === "" && quotes.length === 0 && attachments.length === 0) return null;

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
    ...(attachments.length > 0 && { attachments }),
    ...(quotes.length > 0 && { quotes }),
    ...(name !== undefined && { chatName: name }),
  };
}

function isCommand(text: string, names: ReadonlySet<string>): boolean {
  const [, name] = /^\/(\S+)/.exec(text) ?? [];
  return name !== undefined && names.has(name.toLowerCase());
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
