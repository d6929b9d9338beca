import type { Logger } from "@hermes/core";
import { type APIMessage, type Client, Routes } from "discord.js";
import { isUnseen } from "./channels.ts";
import type { Cursors } from "./cursors.ts";
import { decodeMessage, type InboundParts, isWorthReading } from "./inbound.ts";
import type { InboundQueue } from "./inbound-queue.ts";
import { isAfter } from "./source.ts";

/** The most messages that one call gives. */
const PAGE = 100;

/** What is fetched of one channel at most, in pages: after a long time away the latest words are elsewhere anyway. */
const MOST_PAGES = 5;

export interface BackfillParts extends InboundParts {
  readonly cursors: Cursors;
  readonly queue: InboundQueue;
  readonly logger: Logger;
}

/**
 * Fetches what was written in the channels that Hermes knows while it was not connected. Each channel's own come before
 * whatever arrives there from now on. `known` resolves when the connection has told which message is the last of each
 * channel, so that the quiet ones need no call.
 */
export function backfill(parts: BackfillParts, known: Promise<unknown>): void {
  for (const channelId of parts.cursors.channels()) {
    void parts.queue.between(channelId, async () => {
      await known;
      await fetchMissed(parts, channelId);
    });
  }
}

async function fetchMissed(parts: BackfillParts, channelId: string): Promise<void> {
  const { client, cursors, queue, logger } = parts;
  for (let page = 0; page < MOST_PAGES; page++) {
    const after = cursors.get(channelId);
    if (after === null || isQuiet(client, channelId, after)) return;
    let messages: APIMessage[];
    try {
      const query = new URLSearchParams({ after, limit: String(PAGE) });
      messages = (await client.rest.get(Routes.channelMessages(channelId), { query })) as APIMessage[];
    } catch (error) {
      if (!isUnseen(error)) throw error;
      logger.debug({ channelId }, "a channel is gone");
      cursors.forget(channelId);
      return;
    }
    for (const message of messages.reverse()) {
      await queue.hand(channelId, message.id, async () =>
        isWorthReading(message, parts) ? decodeMessage(message, parts) : null,
      );
    }
    if (messages.length < PAGE) return;
  }
}

/** Whether nothing is newer than what was taken in, as the connection says; false when it does not say. */
function isQuiet(client: Client, channelId: string, after: string): boolean {
  const channel = client.channels.cache.get(channelId);
  const last = channel && "lastMessageId" in channel ? channel.lastMessageId : null;
  return typeof last === "string" && !isAfter(last, after);
}
