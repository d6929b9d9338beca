import { createHash } from "node:crypto";
import { join } from "node:path";
import { type Clock, KeptLines } from "@hermes/core";

/**
 * What was about to be made on Discord, and what came of it. Discord keeps no mark with a message or a thread (a nonce
 * is compared for some minutes and then forgotten), so the intent is written down here first: after a crash it is
 * found again by its place and its content.
 */
export interface Intent {
  readonly key: string;
  /** Where: a channel for a message, a channel's threads for a thread. */
  readonly place: string;
  /** A digest of what it says. */
  readonly digest: string;
  /** The last id that was known there: what was made for this intent is newer. Null when nothing was known. */
  readonly after: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The id of what was made; null while that is open. */
  readonly madeId: string | null;
}

type Line = Omit<Intent, "madeId"> | { readonly key: string; readonly madeId: string | null };

/** Intents are forgotten after a week, in milliseconds: nobody takes up a handoff that old. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The file is written anew when it has this many lines more than were worth keeping the last time. */
const MOST_NEW_LINES = 20_000;

export class Journal {
  readonly #clock: Clock;
  readonly #intents = new Map<string, Intent>();
  /** The newest id in each place. */
  readonly #latest = new Map<string, string>();
  readonly #lines: KeptLines<Line>;

  constructor(folder: string, clock: Clock) {
    this.#clock = clock;
    this.#lines = new KeptLines<Line>({
      path: join(folder, "journal.jsonl"),
      clear: () => {
        this.#intents.clear();
        this.#latest.clear();
      },
      apply: (line) => this.#apply(line),
      lines: () => this.#worthKeeping(),
      mostNewLines: MOST_NEW_LINES,
    });
  }

  get(key: string): Intent | null {
    return this.#intents.get(key) ?? null;
  }

  /** Writes down, before Discord is asked, that something is to be made. */
  begin(key: string, place: string, content: string): Intent {
    const intent: Intent = {
      key,
      place,
      digest: digestOf(content),
      after: this.#latest.get(place) ?? null,
      at: this.#clock.now(),
      madeId: null,
    };
    const { madeId: _, ...line } = intent;
    this.#lines.append(line);
    return intent;
  }

  /** It was made, and has an id. */
  settle(key: string, madeId: string): void {
    this.#lines.append({ key, madeId });
  }

  /** Discord refused: nothing was made. */
  drop(key: string): void {
    this.#lines.append({ key, madeId: null });
  }

  /** Whether something was made for another intent: it is not what came of this one. */
  isAnothers(key: string, madeId: string): boolean {
    return [...this.#intents.values()].some((one) => one.madeId === madeId && one.key !== key);
  }

  close(): void {
    this.#lines.close();
  }

  #apply(line: Line): void {
    if ("place" in line) {
      this.#intents.set(line.key, { ...line, madeId: null });
      return;
    }
    const intent = this.#intents.get(line.key);
    if (!intent) return;
    if (line.madeId === null) {
      this.#intents.delete(line.key);
      return;
    }
    this.#intents.set(line.key, { ...intent, madeId: line.madeId });
    this.#latest.set(intent.place, line.madeId);
  }

  /** What is recent, and of each place the newest. */
  #worthKeeping(): Line[] {
    const oldest = this.#clock.now() - KEPT_MS;
    for (const [key, intent] of this.#intents) {
      if (intent.at < oldest && this.#latest.get(intent.place) !== intent.madeId) this.#intents.delete(key);
    }
    return [...this.#intents.values()].flatMap(({ madeId, ...intent }) =>
      madeId === null ? [intent] : [intent, { key: intent.key, madeId }],
    );
  }
}

/** A short name for a text. */
export function digestOf(content: string): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22);
}
