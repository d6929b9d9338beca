import type { HeardSoFar, HistoryEntry, MessageHistory } from "@hermes/core";
import { type APIMessage, type Client, Routes } from "discord.js";
import { toPlatformError } from "./errors.ts";
import { decodeMessage, type InboundParts, isWorthReading, type RawMessage } from "./inbound.ts";
import { isAfter, isForum, snowflakeAt } from "./source.ts";

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
    lanes: async (horizon) => channelsWithNews(parts().client, horizon),
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
      const name = channels.known(channelId)?.name ?? channelId;
      const place = {
        name,
        isThread: false,
        missingRights: [],
        neededRights: ["View Channel", "Read Message History"],
      };
      throw toPlatformError(error, place);
    });
    for (const message of page) yield entryOf(message, parts);
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return;
  }
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
