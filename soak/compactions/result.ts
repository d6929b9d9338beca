/** How a compaction came about. */
export type Cause = "by itself" | "by /compact" | "after a refusal";

/** What was counted at a place. */
export interface PlaceCounts {
  readonly messages: number;
  readonly answered: number;
  /** Messages that were not answered, and said so: their terminal was killed, or Hermes told it. */
  readonly asked: number;
  readonly kills: number;
  readonly itself: number;
  readonly hand: number;
  /** Where the server had refused a request as too long. */
  readonly refusal: number;
  /** Requests to go on, each of which had to hold all that was planted. */
  readonly requests: number;
  /** What was planted and not held, once for each of these requests. */
  readonly forgotten: number;
}

export interface PlaceRow extends PlaceCounts {
  readonly place: string;
}

export interface CompactionResult {
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly rows: readonly PlaceRow[];
  /** Rows of the transcript at the end. */
  readonly transcript: number;
  /** What the model was sent before and behind a compaction, in the mean. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How many summaries were given, and how many failed in which way. */
  readonly summaries: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  readonly passed: boolean;
}

export const NOTHING_YET: PlaceCounts = {
  ...{ messages: 0, answered: 0, asked: 0, kills: 0 },
  ...{ itself: 0, hand: 0, refusal: 0, requests: 0, forgotten: 0 },
};

/** `a` and `sign` times `b`. */
export function sum(a: PlaceCounts, b: PlaceCounts, sign: 1 | -1 = 1): PlaceCounts {
  const names = Object.keys(NOTHING_YET) as (keyof PlaceCounts)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + sign * b[name]])) as unknown as PlaceCounts;
}
