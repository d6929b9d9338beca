import { createHash } from "node:crypto";
import { join } from "node:path";
import { KeptJson, z } from "@hermes/core";

const storedNotes = z.array(z.object({ digest: z.string(), timestamp: z.number().nullable() }));

/** What a note says. */
export interface NoteWords {
  readonly text: string;
  readonly fileNames: readonly string[];
}

interface OwnNote {
  readonly digest: string;
  /** Null while it is not known whether and when the note was sent. */
  timestamp: number | null;
}

/** As many as the events that a daemon repeats ("SseEventBuffer"). */
const MOST_NOTES = 1_000;

/**
 * Remembers what Hermes wrote into the notes to oneself. The account's owner writes there as the same person as Hermes,
 * so only this tells the two apart; Hermes would answer its own answers for ever. It outlives the process, since the
 * daemon may repeat old events.
 */
export class OwnNotes {
  readonly #kept: KeptJson<OwnNote[]>;
  #notes: OwnNote[];

  constructor(folder: string) {
    this.#kept = new KeptJson(join(folder, "own-notes.json"), { empty: [], parse: (json) => storedNotes.parse(json) });
    this.#notes = this.#kept.read();
  }

  /** To be called before a note is sent: it may come back before its sending is over. Returns what notes the outcome. */
  begin(note: NoteWords): { sent(timestamp: number): void; failed(): void } {
    const begun: OwnNote = { digest: digestOf(note), timestamp: null };
    this.#notes = [...this.#notes, begun].slice(-MOST_NOTES);
    this.#write();
    return {
      sent: (timestamp) => {
        begun.timestamp = timestamp;
        this.#write();
      },
      failed: () => {
        this.#notes = this.#notes.filter((one) => one !== begun);
        this.#write();
      },
    };
  }

  /** Whether Hermes wrote a note that came: known by its time, or while that is not known by its words. */
  recognises(timestamp: number, note: NoteWords): boolean {
    if (this.#notes.some((one) => one.timestamp === timestamp)) return true;
    const digest = digestOf(note);
    const begun = this.#notes.find((one) => one.timestamp === null && one.digest === digest);
    if (begun === undefined) return false;
    // Now its time is known. The same words at another time are the owner's, also where the answer to the sending is lost.
    begun.timestamp = timestamp;
    this.#write();
    return true;
  }

  #write(): void {
    this.#kept.write(this.#notes);
  }
}

function digestOf({ text, fileNames }: NoteWords): string {
  return createHash("sha256")
    .update(JSON.stringify([text, ...fileNames]))
    .digest("base64url");
}
