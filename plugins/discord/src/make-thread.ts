import type { SentLog, ThreadOptions } from "@hermes/core";
import {
  type APIChannel,
  type APIThreadChannel,
  ChannelType,
  type Client,
  RESTJSONErrorCodes as Code,
  Routes,
  ThreadAutoArchiveDuration,
} from "discord.js";
import type { Channels, Rights } from "./channels.ts";
import { codeOf, isRefusal, lackingRights } from "./errors.ts";
import { forumTag } from "./forum-tag.ts";
import type { Outbound } from "./outbound.ts";
import { type Channel, isForum } from "./source.ts";

export interface MakeThreadParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly rights: Rights;
  readonly journal: SentLog;
  readonly outbound: Outbound;
}

/** Refusals of a thread without a message that say nothing about one that begins with a message. */
const TRY_WITH_MESSAGE: readonly (number | null)[] = [
  Code.MissingAccess,
  Code.MissingPermissions,
  Code.CannotExecuteActionOnThisChannelType,
];

/** A thread that goes quiet leaves the list of channels after a day; whoever writes in it brings it back. */
const AUTO_ARCHIVE = ThreadAutoArchiveDuration.OneDay;

/**
 * Makes a thread, or in a forum a post, that everybody sees who sees the channel. Throws what Discord answers; what was
 * refused has left nothing behind.
 */
export function makeThread(
  parts: MakeThreadParts,
  parent: Channel,
  { raw, name }: { readonly raw: APIChannel; readonly name: string },
  options: ThreadOptions,
): Promise<APIThreadChannel> {
  return isForum(parent) ? makePost(parts, raw, name, options) : makeInChannel(parts, parent, name, options);
}

/** "Start Thread without Message", and where that is refused, one on a message. */
async function makeInChannel(
  parts: MakeThreadParts,
  parent: Channel,
  name: string,
  { mark, signal }: ThreadOptions,
): Promise<APIThreadChannel> {
  const { client, rights } = parts;
  // Missing, it would only show once the thread is there.
  const missing = rights.missing(parent, ["SendMessagesInThreads"]);
  if (missing.length > 0) throw lackingRights(rights.describe(parent, missing));
  const isAnnouncement = parent.type === ChannelType.GuildAnnouncement;
  try {
    return (await client.rest.post(Routes.threads(parent.id), {
      body: {
        name,
        // Without it Discord makes a private thread, which nobody but the bot sees.
        type: isAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread,
        auto_archive_duration: AUTO_ARCHIVE,
      },
      signal,
    })) as APIThreadChannel;
  } catch (error) {
    if (!TRY_WITH_MESSAGE.includes(codeOf(error))) throw error;
    // With this one missing, there is no other way either. What is known of it may be what brought the refusal.
    await rights.lookUp(parent);
    if (rights.missing(parent, ["CreatePublicThreads"]).length > 0) throw error;
    return makeOnMessage(parts, parent, name, { mark, signal });
  }
}

/** "Start Thread from Message". The message goes when the thread cannot come. */
async function makeOnMessage(
  { client, channels, journal, outbound }: MakeThreadParts,
  parent: Channel,
  name: string,
  { mark, signal }: Pick<ThreadOptions, "mark" | "signal">,
): Promise<APIThreadChannel> {
  const key = `seed:${mark}`;
  const seed = await outbound.post(parent, { text: openingOf(name) }, { key, signal });
  try {
    return (await client.rest.post(Routes.threads(parent.id, seed.id), {
      body: { name, auto_archive_duration: AUTO_ARCHIVE },
      signal,
    })) as APIThreadChannel;
  } catch (error) {
    // Made by an attempt whose answer was lost; it has the message's id.
    if (codeOf(error) === Code.ThreadAlreadyCreatedForMessage) {
      return (await channels.fetchWhole(seed.id, signal)) as APIThreadChannel;
    }
    if (isRefusal(error)) {
      await client.rest.delete(Routes.channelMessage(parent.id, seed.id)).catch(() => {});
      journal.drop(key);
    }
    throw error;
  }
}

/** "Start Thread in Forum or Media Channel": a post comes with its first message. */
async function makePost(
  { client }: MakeThreadParts,
  forum: APIChannel,
  name: string,
  { home, signal }: ThreadOptions,
): Promise<APIThreadChannel> {
  const tag = forumTag(forum, home);
  return (await client.rest.post(Routes.threads(forum.id), {
    body: {
      name,
      auto_archive_duration: AUTO_ARCHIVE,
      message: { content: openingOf(name), allowed_mentions: { parse: [] } },
      ...(tag !== null && { applied_tags: [tag] }),
    },
    signal,
  })) as APIThreadChannel;
}

/** What stands at the beginning of a post, or above a thread, where Discord wants a message there. */
function openingOf(name: string): string {
  return `**${name.replaceAll(/[\\*_~`|]/g, "\\$&")}**\nThis session goes on here.`;
}
