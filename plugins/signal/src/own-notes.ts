import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const storedNotes = z.array(z.object({ digest: z.string(), timestamp: z.number().nullable() }));

/** What a note says. */
export interface NoteWords {
  readonly text: string;
  readonly fileNames: readonly string[];
}

/** No daemon repeats more events than twice this. */
const MOST_NOTES = 500;

/**
 * What Hermes wrote into the notes to oneself. Who owns the account writes there as the same person as Hermes does, so
 * only this tells the two apart; taking one's own answer for a question would never end. It outlives the process, since
 * the daemon may repeat old events.
 */
export class OwnNotes {
  readonly #file: string;
  #notes: { readonly digest: string; readonly timestamp: number | null }[];

  constructor(folder: string) {
    this.#file = join(folder, "own-notes.json");
    this.#notes = this.#read();
  }

  /** To be called before a note is sent: it may come back before its sending is over. Returns what notes the outcome. */
  begin(note: NoteWords): { sent(timestamp: number): void; failed(): void } {
    const begun = { digest: digestOf(note), timestamp: null };
    this.#notes = [...this.#notes, begun].slice(-MOST_NOTES);
    this.#write();
    const become = (...outcome: { digest: string; timestamp: number }[]) => {
      this.#notes = this.#notes.flatMap((one) => (one === begun ? outcome : [one]));
      this.#write();
    };
    return { sent: (timestamp) => become({ ...begun, timestamp }), failed: () => become() };
  }

  /** Whether Hermes wrote a note: known by its time, or while that is not known by its words. */
  has(timestamp: number, note: NoteWords): boolean {
    const digest = digestOf(note);
    return this.#notes.some((one) => (one.timestamp === null ? one.digest === digest : one.timestamp === timestamp));
  }

  #read() {
    try {
      return storedNotes.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch {
      return [];
    }
  }

  #write(): void {
    writeFileSync(`${this.#file}.draft`, JSON.stringify(this.#notes), { mode: 0o600 });
    renameSync(`${this.#file}.draft`, this.#file);
  }
}

function digestOf({ text, fileNames }: NoteWords): string {
  return createHash("sha256")
    .update(JSON.stringify([text, ...fileNames]))
    .digest("base64url");
}
