/** How pauses grow, in milliseconds. */
export interface BackOff {
  /** The pause after the first failure. */
  readonly firstMs: number;
  /** The longest pause. */
  readonly lastMs: number;
}

/**
 * How long to wait, in milliseconds, after the given number of failures in a row (1 for the first): `firstMs`, then
 * twice as long each time, and `lastMs` at most. It adds no jitter.
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
