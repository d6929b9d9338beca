import type { Compaction } from "../model/compaction.ts";
import type { SessionId } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Store } from "./store.ts";

export interface ReadFromCompaction {
  /** What stands for the messages before; null where all are there. */
  readonly compaction: Compaction | null;
  readonly messages: readonly TranscriptMessage[];
}

/** Bytes of text that tell how a session stands. */
const ROOM = 400_000;

/**
 * Reads a session from its newest compaction on, to tell how it stands: marks stand for the longest texts of its
 * middle.
 */
export async function readFromCompaction(
  { compactions, transcripts }: Pick<Store, "compactions" | "transcripts">,
  id: SessionId,
): Promise<ReadFromCompaction> {
  const compaction = await compactions.latest(id);
  return { compaction, messages: await transcripts.read(id, { after: compaction?.upTo ?? 0, room: ROOM }) };
}

/** Messages that are read at once on the way back. */
const PAGE = 100;

/** Reads the end of a transcript, back to where its texts have `length` UTF-16 units together. */
export async function readEnd(
  { transcripts }: Pick<Store, "transcripts">,
  id: SessionId,
  length: number,
): Promise<readonly TranscriptMessage[]> {
  let messages: TranscriptMessage[] = [];
  for (let read = 0; read <= length; ) {
    const before = messages[0]?.seq ?? Number.MAX_SAFE_INTEGER;
    const page = await transcripts.read(id, { before, limit: PAGE });
    messages = [...page, ...messages];
    read += page.reduce((sum, { text }) => sum + text.length, 0);
    if (page.length < PAGE) break;
  }
  return messages;
}
