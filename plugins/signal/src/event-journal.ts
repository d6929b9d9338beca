import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { KeptLines, type Redactor, redactTexts } from "@hermes/core";
import type { StreamEvent } from "./event-stream.ts";

/** The file is written anew, without the events that Hermes has, after so many lines. */
const MOST_NEW_LINES = 100;

/** An event that is kept until Hermes has the message in it. */
export interface KeptEvent {
  /** Its name in the journal. */
  readonly name: string;
  readonly event: StreamEvent;
}

type Line =
  | { readonly kept: string; readonly id: string | null; readonly data: string }
  | { readonly done: string }
  | { readonly lastId: string | null };

/**
 * Keeps events with messages, from the moment they are read until Hermes has them. signal-cli tells Signal that a message
 * arrived before it hands it on, and has no acknowledgement of its own, so what was read from the stream may be the only
 * copy there is.
 */
export class EventJournal {
  readonly #redact: Redactor;
  readonly #lines: KeptLines<Line>;
  /** Part of every name: a process that lost the account while it was stopped may keep events beside this one. */
  readonly #tag = randomBytes(4).toString("hex");
  readonly #waiting = new Map<string, StreamEvent>();
  #next = 1;
  #lastId: string | null = null;

  constructor(folder: string, redact: Redactor) {
    this.#redact = redact;
    this.#lines = new KeptLines<Line>({
      path: join(folder, "events.jsonl"),
      clear: () => this.#clear(),
      apply: (line) => this.#apply(line),
      lines: () => this.#needed(),
      mostNewLines: MOST_NEW_LINES,
    });
  }

  /**
   * When it returns, the event survives the end of this process at any moment. It does not fsync, which would hold up
   * every event behind it: a power cut may take the last ones, as it may those of the store.
   */
  keep(event: StreamEvent): KeptEvent {
    const name = `${this.#tag}-${this.#next++}`;
    this.#lines.append({ kept: name, id: event.id, data: this.#withoutSecrets(event.data) });
    return { name, event };
  }

  /** Hermes has the message. */
  drop({ name }: KeptEvent): void {
    this.#lines.append({ done: name });
  }

  /** What an earlier process left, oldest first. */
  waiting(): KeptEvent[] {
    return Array.from(this.#waiting, ([name, event]) => ({ name, event }));
  }

  /** The last event that was kept; null when there was none, or the daemon numbers none. */
  lastEventId(): string | null {
    return this.#lastId;
  }

  close(): void {
    this.#lines.close();
  }

  #clear(): void {
    this.#waiting.clear();
    this.#lastId = null;
  }

  #apply(line: Line): void {
    if ("kept" in line) this.#waiting.set(line.kept, { id: line.id, data: line.data });
    if ("done" in line) this.#waiting.delete(line.done);
    const id = "kept" in line ? line.id : "lastId" in line ? line.lastId : null;
    this.#lastId = id ?? this.#lastId;
  }

  #needed(): Line[] {
    const kept = this.waiting().map(({ name, event }) => ({ kept: name, ...event }));
    return [...kept, { lastId: this.#lastId }];
  }

  #withoutSecrets(data: string): string {
    try {
      return JSON.stringify(redactTexts(JSON.parse(data), this.#redact));
    } catch {
      return this.#redact(data);
    }
  }
}
