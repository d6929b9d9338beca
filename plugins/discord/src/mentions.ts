import { shortName } from "@hermes/core";
import type { APIMessage, Client } from "discord.js";

/**
 * What Discord writes into a text for users, roles, channels, commands, emoji and times (API reference, "Message
 * Formatting"). The rest of a text is Markdown already.
 */
const TOKEN =
  /<(?:@!?(?<user>\d+)|@&(?<role>\d+)|#(?<channel>\d+)|\/(?<command>[^:>]+):\d+|a?:(?<emoji>\w+):\d+|t:(?<time>-?\d+)(?::[tTdDfFR])?)>/g;

export interface MentionContext {
  readonly client: Client;
  readonly botId: string;
  /** Roles that stand for the bot. */
  readonly botRoles: readonly string[];
}

/** The text with names in the place of ids; a mention of the bot at its beginning or end addresses it, and is left out. */
export function readMentions(
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
