import type { Conversation, HomeChannel, PeopleAt } from "@hermes/core";
import { type APIChannel, ChannelType, type Client, Routes } from "discord.js";
import { type Channels, isUnseen, type Rights } from "./channels.ts";
import { lackingRights, rejected, toPlatformError, unknownChannel } from "./errors.ts";
import { forumTag } from "./forum-tag.ts";
import { nameOf } from "./inbound.ts";
import { NEEDED, WRITING } from "./rights.ts";
import { OTHER_HOME } from "./settings.ts";
import { type Channel, conversationIn, isForum, isSnowflake, isThread } from "./source.ts";

export interface HomeParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly rights: Rights;
}

/**
 * The home channel as a conversation. It may be named by the id of a channel, of a thread or of a person; the last
 * stands for the direct messages with them. Throws a PlatformError that says what is wrong with it.
 */
export async function homeConversation(home: HomeChannel, parts: HomeParts): Promise<Conversation> {
  const id = home.threadId ?? home.chatId;
  if (!isSnowflake(id)) throw unknownChannel(`channel “${id}”`);
  const raw = await fetchHome(id, parts);
  const channel = parts.channels.remember(raw);
  if (channel.type === ChannelType.DM) return conversationIn(channel);
  checkKind(channel);
  checkRights(channel, parts.rights);
  if (isForum(channel)) forumTag(raw, home);
  return conversationIn(channel);
}

/** The person on the other side of direct messages, by Discord's word. */
export async function peopleAt({ chatId, kind }: Conversation, { channels }: HomeParts): Promise<PeopleAt> {
  if (kind !== "dm") return { ids: [], isFixed: false };
  try {
    const channel = await channels.fetchWhole(chatId);
    const people = channel.type === ChannelType.DM ? (channel.recipients ?? []) : [];
    return { ids: people.map(({ id }) => id), isFixed: true };
  } catch (error) {
    throw toPlatformError(error);
  }
}

/** A channel's name, or that of the person on the other side of direct messages. */
export async function nameOfChat({ chatId }: Conversation, { channels }: HomeParts): Promise<string | undefined> {
  const channel = await channels.fetchWhole(chatId);
  if (channel.type !== ChannelType.DM) return channel.name ? `#${channel.name}` : undefined;
  const [person] = channel.recipients ?? [];
  return person && nameOf(person);
}

async function fetchHome(id: string, parts: HomeParts): Promise<APIChannel> {
  const { client, channels } = parts;
  try {
    return await channels.fetchWhole(id);
  } catch (error) {
    if (!isUnseen(error)) throw toPlatformError(error);
    const known = channels.known(id);
    // It is there, and was seen before: a right was taken away.
    if (known) throw toPlatformError(error, parts.rights.describe(known, ["ViewChannel"]));
  }
  try {
    return (await client.rest.post(Routes.userChannels(), { body: { recipient_id: id } })) as APIChannel;
  } catch {
    // Neither is it a person whom the bot can write to.
    throw unknownChannel(`channel or person ${id}`);
  }
}

function checkKind({ type, name }: Channel): void {
  if (NEEDED[type]) return;
  const isVoice = type === ChannelType.GuildVoice || type === ChannelType.GuildStageVoice;
  const kind = isVoice
    ? "a voice channel"
    : type === ChannelType.GuildCategory
      ? "a category"
      : "no channel to write in";
  throw rejected(`#${name} is ${kind}`, OTHER_HOME);
}

function checkRights(channel: Channel, rights: Rights): void {
  const needed = NEEDED[channel.type] ?? [];
  let lacking = rights.missing(channel, needed);
  if (lacking.length === 0 && !isForum(channel) && !isThread(channel)) {
    const isOfUse = WRITING.some((way) => rights.missing(channel, way).length === 0);
    if (!isOfUse) lacking = ["SendMessages"];
  }
  if (lacking.length === 0) return;
  throw lackingRights(rights.describe(channel, lacking));
}
