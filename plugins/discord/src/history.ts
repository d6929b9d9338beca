import type { HeardSoFar, HistoryEntry, InboundMessage, MessageHistory } from "@hermes/core";
import {
  type APIMessage,
  type APIThreadChannel,
  type Client,
  DiscordAPIError,
  type RESTGetAPIGuildThreadsResult,
  RESTJSONErrorCodes,
  Routes,
} from "discord.js";
import { type ErrorPlace, toPlatformError } from "./errors.ts";
import { decodeMessage, type InboundParts, isWorthReading, type RawMessage } from "./inbound.ts";
import {
  type Channel,
  channelIdOf,
  holdsThreads,
  isAfter,
  isForum,
  isSnowflake,
  isThread,
  snowflakeAt,
} from "./source.ts";

/** The most messages that one call gives. */
const PAGE = 100;

/**
 * The messages of channels, as Discord keeps them; a thread is a channel of its own. `parts` can be had once Discord has
 * said who the bot is.
 */
export function createHistory(parts: () => InboundParts): MessageHistory {
  return {
    isAfter,
    before: (id) => String(BigInt(id) - 1n),
    at: snowflakeAt,
    lanes: async (horizon, places, signal) => [
      ...channelsWithNews(parts().client, horizon),
      ...(await archivedWithNews(parts(), horizon, places, signal)),
    ],
    missed: (channelId, heard, signal) => missedIn(parts(), channelId, heard, signal),
  };
}

/** A message for `CatchUp`; one of the bot's own only moves the cursor. */
export function entryOf(
  message: RawMessage,
  parts: InboundParts,
  change: { readonly isEdit?: boolean } = {},
): HistoryEntry {
  return {
    place: message.channel_id,
    id: message.id,
    decode: async () => (isWorthReading(message, parts) ? decodeMessage(message, parts, change) : null),
  };
}

/** Channels and threads whose last message is newer than all that was heard; what is older than the bot there is not. */
function channelsWithNews(client: Client, horizon: string): { readonly lane: string; readonly after: string }[] {
  return [...client.channels.cache.values()].flatMap((channel) => {
    if (channel.isDMBased() || isForum(channel) || !isNewerIn(client, channel.id, horizon)) return [];
    const joined = snowflakeAt(channel.guild.joinedTimestamp);
    return [{ lane: channel.id, after: isAfter(joined, horizon) ? joined : horizon }];
  });
}

/**
 * The connection says nothing of archived threads: those that were opened and archived again while nobody listened. Looked
 * for where Hermes is in use, among the latest of each channel.
 */
async function archivedWithNews(
  { client, channels }: InboundParts,
  horizon: string,
  places: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly lane: string; readonly after: string }[]> {
  const known = places.flatMap((id) => channels.known(id) ?? []).filter(({ guildId }) => guildId !== null);
  const parents = new Set(known.map((channel) => (isThread(channel) ? channel.parentId : channel.id)));
  const found: { readonly lane: string; readonly after: string }[] = [];
  for (const id of parents) {
    const parent = id === null ? null : channels.known(id);
    if (parent === null || !holdsThreads(parent)) continue;
    for (const route of [Routes.channelThreads(parent.id, "public"), Routes.channelJoinedArchivedThreads(parent.id)]) {
      for (const thread of await listThreads(client, route, parent, signal)) {
        if (!thread.last_message_id || !isAfter(thread.last_message_id, horizon)) continue;
        channels.remember(thread);
        found.push({ lane: thread.id, after: horizon });
      }
    }
  }
  return found;
}

async function listThreads(
  client: Client,
  route: `/${string}`,
  parent: Channel,
  signal: AbortSignal,
): Promise<APIThreadChannel[]> {
  try {
    const query = new URLSearchParams({ limit: String(PAGE) });
    const { threads } = (await client.rest.get(route, { query, signal })) as RESTGetAPIGuildThreadsResult;
    return threads as APIThreadChannel[];
  } catch (thrown) {
    const error = toPlatformError(thrown, placeToRead(parent.name ?? parent.id));
    // A channel whose history the bot may not read keeps nobody from the others.
    if (error.code === "PLATFORM_FORBIDDEN" || error.code === "PLATFORM_NOT_FOUND") return [];
    throw error;
  }
}

/**
 * Forgets what is the last message of each thread, when a new session begins: Discord tells it again of those that are
 * active, and nothing of one that was written in and archived meanwhile.
 */
export function forgetLastMessages(client: Client): void {
  for (const channel of client.channels.cache.values()) if (channel.isThread()) channel.lastMessageId = null;
}

async function* missedIn(
  parts: InboundParts,
  channelId: string,
  { upTo }: HeardSoFar,
  signal: AbortSignal,
): AsyncGenerator<HistoryEntry> {
  const { client, channels } = parts;
  let after = upTo(channelId);
  // The connection has told which message is the last of each channel: the quiet ones need no call.
  if (isNewerIn(client, channelId, after) === false) return;
  for (;;) {
    const page = await readPage(client, channelId, after, signal).catch((error: unknown) => {
      throw toPlatformError(error, placeToRead(channels.known(channelId)?.name ?? channelId));
    });
    for (const message of page) yield entryOf(message, parts);
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return;
  }
}

/**
 * A person's message as it is now; null where it was deleted. A slash command is no message, and cannot be read.
 */
export async function readNow(
  parts: InboundParts,
  { conversation, messageId }: InboundMessage,
  signal: AbortSignal,
): Promise<InboundMessage | null | undefined> {
  if (!isSnowflake(messageId)) return undefined;
  const { client, channels } = parts;
  const channelId = channelIdOf(conversation);
  try {
    const message = (await client.rest.get(Routes.channelMessage(channelId, messageId), { signal })) as APIMessage;
    return (await entryOf(message, parts, { isEdit: true }).decode()) ?? undefined;
  } catch (error) {
    if (error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage) return null;
    throw toPlatformError(error, placeToRead(channels.known(channelId)?.name ?? channelId));
  }
}

function placeToRead(name: string): ErrorPlace {
  return { name, isThread: false, missingRights: [], neededRights: ["View Channel", "Read Message History"] };
}

/** The messages that follow most closely, oldest first. */
async function readPage(client: Client, channelId: string, after: string, signal: AbortSignal): Promise<APIMessage[]> {
  const query = new URLSearchParams({ after, limit: String(PAGE) });
  const newestFirst = (await client.rest.get(Routes.channelMessages(channelId), { query, signal })) as APIMessage[];
  return newestFirst.reverse();
}

/** Whether something is newer than `id`, as the connection says; undefined when it does not say. */
function isNewerIn(client: Client, channelId: string, id: string): boolean | undefined {
  const channel = client.channels.cache.get(channelId);
  const last = channel && "lastMessageId" in channel ? channel.lastMessageId : null;
  return typeof last === "string" ? isAfter(last, id) : undefined;
}
