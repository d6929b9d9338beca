/** Limits of an exponential back-off, in milliseconds. */
export interface BackOff {
  /** The pause after the first failure. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly lastMs: number;
}

/**
 * Milliseconds to wait after the given number of failures in a row (1 for the first): `firstMs`, doubled each time, at
 * most `lastMs`. Adds no jitter.
 *
 * @example
 * ```ts
 * const RETRY = { firstMs: 1_000, lastMs: 30_000 };
 * await sleep(clock, backOff(++failures, RETRY), signal); // 1 s, 2 s, 4 s, 8 s, 16 s, 30 s, 30 s …
 * ```
 */
export function backOff(failures: number, { firstMs, lastMs }: BackOff): number {
  return Math.min(firstMs * 2 ** (failures - 1), lastMs);
}
