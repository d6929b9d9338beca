export interface Summary {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly [figure: string]: number;
}

/** Throws when there is no sample. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    n: sorted.length,
    p50: round(percentile(sorted, 50)),
    p95: round(percentile(sorted, 95)),
    max: round(percentile(sorted, 100)),
  };
}

/** The sample that half of them do not exceed. Throws when there is none. */
export function median(samples: readonly number[]): number {
  return percentile(
    samples.toSorted((a, b) => a - b),
    50,
  );
}

/** The smallest sample that `percent` of them do not exceed: a value that occurred, not one in between. */
function percentile(sorted: readonly number[], percent: number): number {
  const value = sorted[Math.max(Math.ceil((sorted.length * percent) / 100) - 1, 0)];
  if (value === undefined) throw new Error("nothing was measured");
  return value;
}

/**
 * How much a second, from how many milliseconds each round took that had so much in it: over all of them, and of the
 * middle round, the 95th of 100 and the slowest.
 */
export function rates(rounds: readonly number[], perRound: number) {
  const rate = (count: number, ms: number) => Math.round((count * 1_000) / ms);
  const { n, p50, p95, max } = summarize(rounds);
  const totalMs = rounds.reduce((sum, ms) => sum + ms, 0);
  return {
    n: n * perRound,
    overall: rate(n * perRound, totalMs),
    ...{ p50: rate(perRound, p50), p95: rate(perRound, p95), slowest: rate(perRound, max) },
  };
}

/** To the third decimal. */
export function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
