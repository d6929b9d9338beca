import type { WireCall, WireMessage, WireTurn } from "../../src/server/wire/thread.ts";

/** Calls of a turn that stand together. */
export interface PlacedCalls {
  readonly turnId: string;
  readonly isOpen: boolean;
  readonly calls: readonly WireCall[];
}

/** Where calls stand: by the id of the message that they stand in front of or behind, or at the end. */
export interface CallPlaces {
  readonly before: ReadonlyMap<string, PlacedCalls>;
  readonly after: ReadonlyMap<string, PlacedCalls>;
  readonly atEnd: PlacedCalls | null;
}

/**
 * Finds where calls stand: in front of the message of their turn that they led to. What was called after a question was
 * answered stands behind the question. `running`: the turn that runs, which may have no message yet.
 */
export function placeCalls(
  messages: readonly WireMessage[],
  turns: ReadonlyMap<string, WireTurn>,
  running: string | undefined,
): CallPlaces {
  const before = new Map<string, PlacedCalls>();
  const after = new Map<string, PlacedCalls>();
  const own = new Map<string, WireMessage[]>();
  for (const message of messages) {
    if (message.author === "user" || message.turnId === null) continue;
    own.set(message.turnId, [...(own.get(message.turnId) ?? []), message]);
  }
  for (const [turnId, all] of own) {
    // Notices say what became of the turn elsewhere; calls led to them only where nothing else was said.
    const spoken = all.filter(({ kind }) => kind !== "notice");
    const said = spoken.length > 0 ? spoken : all;
    const turn = turns.get(turnId);
    if (turn === undefined) continue;
    let left = begunIn(turn);
    const put = (at: Map<string, PlacedCalls>, id: string, calls: readonly WireCall[]) => {
      if (calls.length > 0) at.set(id, { turnId, isOpen: turn.isOpen, calls });
    };
    for (const message of said) {
      const isLast = message === said.at(-1);
      const until = isLast && message.kind !== "question" ? Number.POSITIVE_INFINITY : endOf(message);
      put(
        before,
        message.id,
        left.filter((call) => timeOf(call) <= until),
      );
      left = left.filter((call) => timeOf(call) > until);
    }
    put(after, said.at(-1)?.id ?? "", left);
  }
  const turn = running === undefined || own.has(running) ? undefined : turns.get(running);
  const calls = turn === undefined ? [] : begunIn(turn);
  return {
    before,
    after,
    atEnd: turn && calls.length > 0 ? { turnId: turn.turnId, isOpen: turn.isOpen, calls } : null,
  };
}

/** Those that have begun, or will not: what waits is asked about, or stands behind what runs. */
function begunIn({ calls }: WireTurn): WireCall[] {
  return calls.filter(({ state }) => state !== "waits");
}

function timeOf({ beganAt, endedAt }: WireCall): number {
  return beganAt ?? endedAt ?? 0;
}

/** A question is edited when it is closed; an answer until it is whole. */
function endOf({ kind, sentAt, editedAt }: WireMessage): number {
  return kind === "question" ? sentAt : (editedAt ?? sentAt);
}
