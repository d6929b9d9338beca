import { shown } from "./check.ts";
import type { KitHome, KitPlace } from "./subject.ts";

/** How many of the last events a failure tells. */
const TOLD = 6;

/** The longest text of an event, in UTF-16 units. */
const LONGEST = 160;

/** What happened on a stage: what people did, what the adapter reported, and what Hermes asked of it. */
export class Trail {
  readonly #events: string[] = [];

  add(event: string): void {
    this.#events.push(event.length <= LONGEST ? event : `${event.slice(0, LONGEST).toWellFormed()}…`);
    // Long proofs write much, and only the end is told.
    if (this.#events.length > TOLD) this.#events.shift();
  }

  get last(): readonly string[] {
    return [...this.#events];
  }
}

/** Formats a place on the emulator. */
export function shownPlace({ chatId, threadId }: KitPlace): string {
  return threadId === undefined ? `chat ${shown(chatId)}` : `thread ${shown(threadId)} of chat ${shown(chatId)}`;
}

interface Evidence {
  readonly place?: string;
  readonly trail?: readonly string[];
}

const EVIDENCE = new WeakMap<object, Evidence>();

/** Remembers where an error came up; the first stage that says so counts. */
export function noteEvidence(error: unknown, { name, kind }: KitHome, at: KitPlace, trail: Trail): void {
  if (typeof error !== "object" || error === null || EVIDENCE.has(error)) return;
  EVIDENCE.set(error, { place: `the home channel "${name}" (${kind}, ${shownPlace(at)})`, trail: trail.last });
}

export function evidenceOf(error: unknown): Evidence {
  return (typeof error === "object" && error !== null && EVIDENCE.get(error)) || {};
}
