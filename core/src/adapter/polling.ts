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
  /**
   * Whether the platform tells all of it again to whoever asks from an earlier cursor: no poll waits until what the one
   * before brought is kept then, only the cursor in the file does. Where it is left out, asking for more may acknowledge.
   */
  readonly isHistory?: boolean;
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
  readonly intake: Pick<OrderedIntake, "take" | "room">;
  readonly logger: Pick<Logger, "error">;
}

/**
 * A round of the receive loop that polls once and hands over what came. It writes the cursor up to which all is kept: for
 * a history, on which it does not wait, a later round does.
 */
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
  const read = file.read() ?? former.read();
  let written = read?.owner === owner ? read.cursor : null;
  let after = written;
  /** Polls whose entries are not all kept, oldest first. */
  const unkept = new Set<{ readonly after: string | null }>();
  return async (round) => {
    const { entries, cursor, isHistory = false } = await poll(after, round);
    round.received();
    const polled = { after };
    if (entries.length > 0) unkept.add(polled);
    const allKept = Promise.all(entries.map((entry) => intake.take(entry.place, entry)));
    const kept = allKept.then(() => void unkept.delete(polled));
    // One that is stopped meanwhile asks for these again, and Hermes knows what it has kept by their ids.
    await untilAborted(isHistory ? intake.room() : kept, round.signal);
    const [oldest] = unkept;
    const keptTo = oldest ? oldest.after : cursor;
    if (keptTo !== null && keptTo !== written) {
      former.write({ owner, cursor: written ?? keptTo });
      file.write({ owner, cursor: keptTo });
      written = keptTo;
    }
    after = cursor;
  };
}

function parse(json: unknown): KeptCursor {
  const { owner, cursor } = Object(json) as Partial<KeptCursor>;
  if (typeof owner !== "string" || typeof cursor !== "string") throw new Error("it holds no cursor");
  return { owner, cursor };
}
