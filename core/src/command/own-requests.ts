import { HermesError } from "../base/errors.ts";
import { withoutAttached, withReadableMarks } from "../model/mark.ts";
import type { SessionId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { clip } from "./words.ts";

/** A message of a person that began a turn, with the number by which people name it: the first one is 1. */
export interface OwnRequest {
  readonly number: number;
  readonly seq: number;
  /** On one line, and short. */
  readonly text: string;
  readonly at: number;
  /** The last message before the next request. */
  readonly lastSeq: number;
  /** How many messages it has with all that stands behind it. */
  readonly behind: number;
}

/** What people asked in a session, the oldest first. What was said while a turn ran belongs to that turn's request. */
export async function requestsOf({ transcripts }: Store, sessionId: SessionId): Promise<readonly OwnRequest[]> {
  const rows = await transcripts.read(sessionId);
  const seen = new Set<string>();
  const begun = rows.flatMap((row, at) => {
    if (row.role !== "user" || row.internal || (row.turnId !== null && seen.has(row.turnId))) return [];
    if (row.turnId !== null) seen.add(row.turnId);
    return [{ row, at }];
  });
  return begun.map(({ row, at }, index) => ({
    number: index + 1,
    seq: row.seq,
    text: clip(withReadableMarks(withoutAttached(row.text)), 80),
    at: row.createdAt,
    lastSeq: rows[(begun[index + 1]?.at ?? rows.length) - 1]?.seq ?? row.seq,
    behind: rows.length - at,
  }));
}

/** The request of a number that somebody typed. Throws MESSAGE_UNKNOWN. */
export function requestOfNumber(requests: readonly OwnRequest[], typed: string): OwnRequest {
  const found = requests.find(({ number }) => String(number) === typed);
  if (found === undefined) throw new HermesError("MESSAGE_UNKNOWN", { number: typed, count: requests.length });
  return found;
}
