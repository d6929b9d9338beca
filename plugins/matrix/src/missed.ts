import { type Logger, PlatformError } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import { isWorthRetrying } from "./errors.ts";
import type { MatrixEvent } from "./wire.ts";

/** How far back a gap is filled, in pages of 100 events. */
const MOST_PAGES = 100;

/**
 * What happened in a room between two positions, oldest first: a sync brings the latest events of a room only, and says
 * from where the rest can be had ("limited", "prev_batch").
 */
export async function messagesMissed(
  { api, logger }: { readonly api: MatrixApi; readonly logger: Logger },
  roomId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<MatrixEvent[]> {
  const pages: MatrixEvent[][] = [];
  let at: string | undefined = from;
  while (at !== undefined && pages.length < MOST_PAGES) {
    try {
      const { chunk, end } = await api.messages(roomId, { from: at, to });
      pages.push(chunk.toReversed());
      at = end;
    } catch (error) {
      if (!(error instanceof PlatformError) || isWorthRetrying(error)) throw error;
      logger.warn({ room: roomId, reason: error.message }, "what was missed in a room may not be read any more");
      break;
    }
  }
  if (at !== undefined) logger.warn({ room: roomId }, "so much was written while nobody listened that not all is read");
  return pages.reverse().flat();
}
