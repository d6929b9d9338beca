import { hiddenRuns } from "./hidden-text.ts";

/** A streamed text, held as its visible characters, with the hidden ones kept by their position. */
export class SeenText {
  #seen = "";
  /** The hidden characters before each position of the visible text, in order. */
  #hidden = new Map<number, string>();
  /** The first half of a surrogate pair that was cut in two. */
  #half = "";

  get seen(): string {
    return this.#seen;
  }

  /** Takes the next piece, cut anywhere. */
  add(delta: string): void {
    const text = this.#half + delta;
    this.#half = text.match(/[\ud800-\udbff]$/)?.[0] ?? "";
    this.#append(text.slice(0, text.length - this.#half.length));
  }

  /** Ends the text: a lone half of a surrogate pair stays as it is. */
  end(): void {
    this.#seen += this.#half;
    this.#half = "";
  }

  /** A part of the text by positions of the visible text, without the hidden characters right before `to`. */
  slice(from: number, to = Number.POSITIVE_INFINITY): string {
    let text = "";
    let at = from;
    for (const [place, run] of this.#hidden) {
      if (place < from || place >= to) continue;
      text += this.#seen.slice(at, place) + run;
      at = place;
    }
    return text + this.#seen.slice(at, to);
  }

  /** Drops the first `length` visible characters: positions count from there on. */
  forget(length: number): void {
    if (length === 0) return;
    this.#seen = this.#seen.slice(length);
    const later = [...this.#hidden].filter(([place]) => place >= length);
    this.#hidden = new Map(later.map(([place, run]) => [place - length, run]));
  }

  #append(text: string): void {
    let at = 0;
    for (const { index, 0: run } of hiddenRuns(text)) {
      this.#seen += text.slice(at, index);
      const place = this.#seen.length;
      this.#hidden.set(place, (this.#hidden.get(place) ?? "") + run);
      at = index + run.length;
    }
    this.#seen += text.slice(at);
  }
}
