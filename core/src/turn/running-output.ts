import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Concealer, Redactor } from "../base/redact.ts";
import { shorten } from "../base/shorten.ts";
import { lastLines } from "../model/call-outcome.ts";
import type { ToolCall } from "../model/transcript.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import { PacedNotes } from "./paced-notes.ts";

/**
 * How much of the end is kept, in UTF-16 units. Lines are taken from its second half: what looks like a secret is not known
 * by its end alone, which the first half may begin with.
 */
const KEPT = 8_000;

/** The longest line that is noted, in UTF-16 units. */
const LONGEST_LINE = 400;

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly concealer: Concealer;
  readonly redact: Redactor;
}

/** Lets conversations that show a turn's session read the last lines of what its call puts out, while it runs. */
export class RunningOutput implements Disposable {
  readonly #parts: Parts;
  readonly #turn: Turn;
  #call: { readonly id: ToolCall["id"]; readonly stream: ReturnType<Concealer["stream"]>; end: string } | null = null;
  readonly #notes: PacedNotes;

  constructor(parts: Parts, turn: Turn) {
    this.#parts = parts;
    this.#turn = turn;
    this.#notes = new PacedNotes(parts, () => this.#note());
  }

  /** Takes what a call puts out. Calls of a turn run one after the other. */
  take(callId: ToolCall["id"], text: string): void {
    if (this.#call?.id !== callId) this.#call = { id: callId, stream: this.#parts.concealer.stream(), end: "" };
    this.#call.end = (this.#call.end + this.#call.stream.push(text)).slice(-KEPT);
    this.#notes.say(this.#call.end);
  }

  /** The result is about to be stored. Resolves once nothing can be noted any more. */
  async settle(): Promise<void> {
    this.#call = null;
    await this.#notes.settle();
  }

  [Symbol.dispose](): void {
    this.#notes[Symbol.dispose]();
  }

  async #note(): Promise<boolean> {
    if (this.#call === null) return true;
    const { store, redact } = this.#parts;
    const { id, end } = this.#call;
    const safe = redact(stripVTControlCharacters(end));
    const lines = lastLines(end.length < KEPT ? safe : safe.slice(safe.length / 2));
    const text = lines.map((line) => shorten(line, LONGEST_LINE)).join("\n");
    if (text === "") return true;
    return store.turns.noteOutput(this.#turn.id, this.#turn.fence, id, text);
  }
}
