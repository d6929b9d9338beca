import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { StreamEvent } from "./sse.ts";

const storedEvent = z.object({ id: z.string().nullable(), data: z.string() });

/** An event that is kept until Hermes has the message in it. */
export interface KeptEvent {
  readonly name: string;
  readonly event: StreamEvent;
}

/**
 * Events with messages, in a folder: each a file, from the moment it is read until Hermes has it. signal-cli tells
 * Signal that a message arrived before it hands it on, and has no acknowledgement of its own, so what was read from the
 * stream may be the only copy there is.
 */
export class EventJournal {
  readonly #folder: string;
  readonly #lastIdFile: string;
  #next: number;

  constructor(folder: string) {
    this.#folder = join(folder, "events");
    this.#lastIdFile = join(folder, "last-event-id");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#next = Number.parseInt(this.#names().at(-1) ?? "0", 10) + 1;
  }

  /** Resolves nothing later: when it returns, the event survives a crash. */
  keep(event: StreamEvent): KeptEvent {
    const name = `${String(this.#next++).padStart(12, "0")}.json`;
    this.#write(join(this.#folder, name), JSON.stringify(event));
    if (event.id !== null) this.#write(this.#lastIdFile, event.id);
    return { name, event };
  }

  drop({ name }: KeptEvent): void {
    rmSync(join(this.#folder, name), { force: true });
  }

  /** What an earlier process left, oldest first. */
  waiting(): KeptEvent[] {
    return this.#names().flatMap((name) => {
      const event = storedEvent.safeParse(readJson(join(this.#folder, name)));
      return event.success ? [{ name, event: event.data }] : [];
    });
  }

  /** The last event that was kept; null when there was none, or the daemon numbers none. */
  lastEventId(): string | null {
    try {
      return readFileSync(this.#lastIdFile, "utf8") || null;
    } catch {
      return null;
    }
  }

  #names(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => /^\d+\.json$/.test(name))
      .sort();
  }

  #write(path: string, text: string): void {
    const draft = `${path}.draft`;
    const file = openSync(draft, "w", 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}
