import { join } from "node:path";
import { untilAborted } from "../base/deadline.ts";
import { KeptJson } from "../base/kept-json.ts";
import type { Logger } from "../base/logger.ts";
import type { IntakeEntry, OrderedIntake } from "./ordered-intake.ts";
import type { ReceiveLoopParts, ReceiveRound } from "./receive-loop.ts";

/** What one poll brought. */
export interface Polled {
  /** Oldest first. Those of one `place` are handed over one after the other, other places meanwhile. */
  readonly entries: readonly IntakeEntry[];
  /** Where the next poll goes on: an offset, an id, a token. */
  readonly cursor: string;
}

/**
 * Receiving by polling.
 *
 * @example
 * ```ts
 * await keepPolling({
 *   owner: me.id,
 *   poll: async (after, { signal }) => {
 *     if (after === null) return { entries: [], cursor: (await newest(signal)).id };
 *     const messages = await list(after, signal);
 *     const entries = messages.map((wire) => ({ place: wire.chat, id: wire.id, decode: async () => decode(wire) }));
 *     return { entries, cursor: messages.at(-1)?.id ?? after };
 *   },
 * });
 * ```
 */
export interface Polling {
  /** The bot's own id: the cursor of another account is not used. */
  readonly owner: string;
  /**
   * Asks for what came after `after`, and waits for it where the platform can. `after` is null when nothing was ever
   * received: return the platform's newest place then, and no entries, since nothing was meant for Hermes before.
   */
  readonly poll: (after: string | null, round: ReceiveRound) => Promise<Polled>;
  readonly judge?: ReceiveLoopParts["judge"];
}

interface KeptCursor {
  readonly owner: string;
  readonly cursor: string;
}

export interface PollingParts {
  /** Where the cursor is kept. */
  readonly folder: string;
  readonly intake: Pick<OrderedIntake, "take">;
  readonly logger: Pick<Logger, "error">;
}

/** A round of the receive loop that polls once, hands over what came, and writes the cursor when all of it is kept. */
export function pollingRound(
  { owner, poll }: Polling,
  { folder, intake, logger }: PollingParts,
): ReceiveLoopParts["receive"] {
  const cursorIn = (name: string) =>
    new KeptJson<KeptCursor | null>(join(folder, name), {
      ...{ empty: null, parse, isDurable: true },
      onUnreadable: (error) =>
        logger.error({ file: name, error }, "where receiving had come to cannot be read; an earlier place is used"),
    });
  const file = cursorIn("poll-cursor.json");
  // What comes again from there, Hermes knows by its ids; from the platform's newest place on, what came meanwhile is lost.
  const former = cursorIn("poll-cursor.former.json");
  const kept = file.read() ?? former.read();
  let after = kept?.owner === owner ? kept.cursor : null;
  return async (round) => {
    const { entries, cursor } = await poll(after, round);
    round.received();
    // One that is stopped meanwhile asks for these again, and Hermes knows what it has kept by their ids.
    await untilAborted(Promise.all(entries.map((entry) => intake.take(entry.place, entry))), round.signal);
    if (cursor === after) return;
    former.write({ owner, cursor: after ?? cursor });
    file.write({ owner, cursor });
    after = cursor;
  };
}

function parse(json: unknown): KeptCursor {
  const { owner, cursor } = Object(json) as Partial<KeptCursor>;
  if (typeof owner !== "string" || typeof cursor !== "string") throw new Error("it holds no cursor");
  return { owner, cursor };
}
