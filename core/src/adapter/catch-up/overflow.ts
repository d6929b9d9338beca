import { isFinal } from "../platform-errors.ts";
import type { HeardSoFar, MessageHistory } from "./message-history.ts";

interface OverflowParts {
  readonly history: MessageHistory;
  readonly heardIn: (lane: string) => HeardSoFar;
  /** Has the history of a lane read, behind all that waits in the lane. */
  readonly enlist: (lane: string) => void;
}

/** Decides which messages can be left to a history when too many wait in memory: only those of one that was read before. */
export class Overflow {
  readonly #parts: OverflowParts;
  readonly #readable = new Set<string>();
  readonly #probed = new Set<string>();
  /** Lanes with messages that were left to a reading that has not begun. */
  readonly #left = new Set<string>();

  constructor(parts: OverflowParts) {
    this.#parts = parts;
  }

  /** Leaves a new message to the history of its lane. Returns false if it must wait in memory. */
  leave(lane: string, signal: AbortSignal): boolean {
    if (!this.#readable.has(lane)) {
      void this.#probe(lane, signal);
      return false;
    }
    if (!this.#left.has(lane)) {
      this.#left.add(lane);
      this.#parts.enlist(lane);
    }
    return true;
  }

  /** Called when a reading begins: what is left from now on needs another one. */
  begun(lane: string): void {
    this.#left.delete(lane);
  }

  /** Called for each message that was read. */
  noteRead(lane: string): void {
    this.#readable.add(lane);
  }

  /** Called when the platform refuses to show the history. */
  noteRefused(lane: string): void {
    this.#readable.delete(lane);
  }

  /** Finds out whether a history can be read. One that the platform refuses is not asked for again. */
  async #probe(lane: string, signal: AbortSignal): Promise<void> {
    if (this.#probed.has(lane)) return;
    this.#probed.add(lane);
    const { history, heardIn } = this.#parts;
    try {
      for await (const _ of history.missed(lane, { ...heardIn(lane), forget() {} }, signal)) {
        this.#readable.add(lane);
        break;
      }
      this.#probed.delete(lane);
    } catch (error) {
      if (!isFinal(error)) this.#probed.delete(lane);
    }
  }
}
