import { seededRandom } from "../../bench/support/random.ts";

/** Draws from a row of numbers that is the same for the same seed. */
export class Draw {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** From `low` up to `high`, a whole number. */
  between(low: number, high: number): number {
    return low + (this.#random() % (high - low + 1));
  }

  /** One of the names, each as often as its weight says. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][];
    let left = this.between(
      1,
      entries.reduce((sum, [, weight]) => sum + weight, 0),
    );
    for (const [name, weight] of entries) {
      left -= weight;
      if (left <= 0) return name;
    }
    throw new RangeError("there is nothing to draw from");
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined) throw new RangeError("there is nothing to pick from");
    return picked;
  }

  /** A pause around a mean, in milliseconds: half of it to one and a half. */
  around(meanMs: number): number {
    return this.between(Math.round(meanMs / 2), Math.round(meanMs * 1.5));
  }
}
