import { RecentMap } from "@hermes/core";

/** How many edits are remembered. */
const MOST_EDITS = 1_000;

/**
 * Which message an edit changes. Signal names it by its time, and an edit of an edit may name the edit before; Hermes
 * knows a message by the time of its first version.
 */
export class Originals {
  readonly #byEdit = new RecentMap<string, number>(MOST_EDITS);

  /** The time of the first version of a message that was sent, or edited, at `timestamp`. */
  of(author: string, timestamp: number, editOf: number | undefined): number {
    if (editOf === undefined) return timestamp;
    const original = this.#byEdit.get(`${author}:${editOf}`) ?? editOf;
    this.#byEdit.set(`${author}:${timestamp}`, original);
    return original;
  }
}
