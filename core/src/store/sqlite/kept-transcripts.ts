import type { SessionId } from "../../model/session.ts";
import type { TranscriptMessage } from "../../model/transcript.ts";

/** Bytes of the transcripts that are kept in memory together. */
const ROOM = 1_000_000;

/** What a message takes besides its text, in bytes. */
const OF_MESSAGE = 300;

/** With fewer messages than this, reading them again costs less than to keep them. */
const WORTH_KEEPING = 16;

/** The messages behind a seq, whole. */
interface Kept {
  readonly after: number;
  /** As long as it is the same, nobody has changed or removed one of them. */
  readonly edition: string;
  readonly messages: readonly TranscriptMessage[];
  /** Bytes of their texts. */
  readonly length: number;
}

/** The transcripts that were read last, since each turn of a conversation begins by reading it. */
export class KeptTranscripts {
  /** In the order of their last use. */
  readonly #kept = new Map<SessionId, Kept>();
  #size = 0;

  /** What is kept of those behind `after`; null where nothing is, or it may have changed. */
  get(sessionId: SessionId, after: number, edition: string): Kept | null {
    const kept = this.#kept.get(sessionId);
    return kept?.edition === edition && kept.after === after ? kept : null;
  }

  /** Keeps what was read. A part of what is kept takes nobody's place. */
  set(sessionId: SessionId, read: Kept): void {
    if (read.messages.length < WORTH_KEEPING || sizeOf(read) > ROOM) return;
    this.#drop(sessionId);
    this.#kept.set(sessionId, read);
    this.#size += sizeOf(read);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= ROOM) break;
      this.#drop(oldest);
    }
  }

  #drop(sessionId: SessionId): void {
    const kept = this.#kept.get(sessionId);
    if (kept === undefined) return;
    this.#kept.delete(sessionId);
    this.#size -= sizeOf(kept);
  }
}

function sizeOf({ messages, length }: Kept): number {
  return length + messages.length * OF_MESSAGE;
}
