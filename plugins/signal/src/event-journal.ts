import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Redactor, redactTexts, replaceFile } from "@hermes/core";
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
  readonly #redact: Redactor;
  readonly #lastIdFile: string;
  /** Part of its files' names: a process that lost the account while it was stopped may keep events beside this one. */
  readonly #tag = randomBytes(4).toString("hex");
  #next: number;
  #lastId: string | null = null;
  #kept = 0;

  constructor(folder: string, redact: Redactor) {
    this.#redact = redact;
    this.#folder = join(folder, "events");
    this.#lastIdFile = join(folder, "last-event-id");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const names = this.#names();
    this.#kept = names.length;
    this.#next = Number.parseInt(names.at(-1) ?? "0", 10) + 1;
    this.#lastId = this.waiting().findLast(({ event }) => event.id !== null)?.event.id ?? readText(this.#lastIdFile);
  }

  /**
   * When it returns, the event survives the end of this process at any moment. It is not waited for until the disk has
   * it, which would hold up every event behind it: a power cut may take the last ones, as it may those of the store.
   */
  keep(event: StreamEvent): KeptEvent {
    const name = `${String(this.#next++).padStart(12, "0")}-${this.#tag}.json`;
    replaceFile(join(this.#folder, name), JSON.stringify({ ...event, data: this.#withoutSecrets(event.data) }));
    this.#kept++;
    this.#lastId = event.id ?? this.#lastId;
    return { name, event };
  }

  #withoutSecrets(data: string): string {
    const event = parsed(data);
    return event === null ? this.#redact(data) : JSON.stringify(redactTexts(event, this.#redact));
  }

  drop({ name }: KeptEvent): void {
    rmSync(join(this.#folder, name), { force: true });
    this.#kept--;
    // Not with each event: what comes once more after a crash, Hermes knows already.
    if (this.#kept === 0 && this.#lastId !== null) replaceFile(this.#lastIdFile, this.#lastId);
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
    return this.#lastId;
  }

  #names(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => /^\d+(-[0-9a-f]+)?\.json$/.test(name))
      .sort();
  }
}

function readJson(path: string): unknown {
  return parsed(readText(path) ?? "");
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8") || null;
  } catch {
    return null;
  }
}
