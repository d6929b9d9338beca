/** Edits that are remembered. */
const MOST_EDITS = 1_000;

/**
 * Which message an edit changes. Signal names it by its time, and an edit of an edit may name the edit before; Hermes
 * knows a message by the time of its first version.
 */
export class Originals {
  readonly #byEdit = new Map<string, number>();

  /** The time of the first version of a message that was sent, or edited, at `timestamp`. */
  of(author: string, timestamp: number, editOf: number | undefined): number {
    if (editOf === undefined) return timestamp;
    const original = this.#byEdit.get(`${author}:${editOf}`) ?? editOf;
    this.#byEdit.set(`${author}:${timestamp}`, original);
    const [oldest] = this.#byEdit.keys();
    if (this.#byEdit.size > MOST_EDITS && oldest !== undefined) this.#byEdit.delete(oldest);
    return original;
  }
}
