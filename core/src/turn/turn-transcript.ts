import { type Compaction, compactionMessage, isCompactionMarker } from "../model/compaction.ts";
import type { SessionId } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { CompactionStore } from "../store/compaction-store.ts";
import type { TranscriptStore } from "../store/store.ts";

type Reads = {
  readonly transcripts: Pick<TranscriptStore, "read">;
  readonly compactions: Pick<CompactionStore, "latest">;
};

/**
 * The transcript of a session as the turn that has its lease reads it: from the newest compaction on. What was read is not
 * read again: nobody takes a message out of it meanwhile, and what is added stands behind the rest.
 */
export class TurnTranscript {
  readonly #store: Reads;
  readonly #sessionId: SessionId;
  readonly #room: number;
  #compaction: Compaction | null | undefined;
  #opening: readonly TranscriptMessage[] = [];
  #rows: TranscriptMessage[] = [];
  #seen = 0;

  /** `room`: bytes of text; of a longer transcript, marks stand for the longest texts of its middle. */
  constructor(store: Reads, sessionId: SessionId, room: number) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#room = room;
  }

  /** The newest compaction, as of the last read. */
  get compaction(): Compaction | null {
    return this.#compaction ?? null;
  }

  /** What stands for the beginning: the compaction, and those requests. */
  get opening(): readonly TranscriptMessage[] {
    return this.#opening;
  }

  /** What people asked in the turn in which it was made, word for word. */
  get requests(): readonly TranscriptMessage[] {
    return this.#opening.slice(1);
  }

  /** The messages behind it, as of the last read. */
  get rows(): readonly TranscriptMessage[] {
    return this.#rows;
  }

  /** What stands for the beginning, and all messages behind it, as they stand now. */
  async read(): Promise<readonly TranscriptMessage[]> {
    if (this.#compaction === undefined) {
      const found = await this.#store.compactions.latest(this.#sessionId);
      if (found !== null) this.#open(found, await this.#requestsOf(found));
      this.#compaction = found;
    }
    const range = { after: this.#seen, room: this.#room };
    for (const message of await this.#store.transcripts.read(this.#sessionId, range)) {
      this.#seen = message.seq;
      if (!isCompactionMarker(message)) this.#rows.push(message);
    }
    return [...this.#opening, ...this.#rows];
  }

  /** Goes on from a compaction that was just stored. */
  compacted(compaction: Compaction): void {
    const { requests } = compaction.facts;
    const kept = [...this.requests, ...this.#rows].filter(({ seq }) => requests.includes(seq));
    this.#rows = this.#rows.filter(({ seq }) => seq > compaction.upTo);
    this.#open(compaction, kept);
  }

  #open(compaction: Compaction, requests: readonly TranscriptMessage[]): void {
    this.#compaction = compaction;
    this.#opening = [compactionMessage(compaction), ...requests];
    this.#seen = Math.max(this.#seen, compaction.upTo);
  }

  async #requestsOf({ facts }: Compaction): Promise<TranscriptMessage[]> {
    const { transcripts } = this.#store;
    const found = facts.requests.map((seq) => transcripts.read(this.#sessionId, { after: seq - 1, before: seq + 1 }));
    return (await Promise.all(found)).flat();
  }
}
