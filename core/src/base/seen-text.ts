import { hiddenRuns } from "./hidden-text.ts";

/** A growing text, held as what people see of it, with the characters that hide beside their places. */
export class SeenText {
  #seen = "";
  /** What hides in front of a place of the seen text, in order. */
  #hidden = new Map<number, string>();
  /** The first half of a pair that was cut in two. */
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

  /** Nothing follows: half a pair stays one. */
  end(): void {
    this.#seen += this.#half;
    this.#half = "";
  }

  /** A part of what was added, by places of the seen text. What hides in front of `to` is not in it. */
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

  /** Drops the beginning: places count from there on. */
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
