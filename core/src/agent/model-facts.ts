/** What is known of a model. What is not known is null. */
export interface ModelFacts {
  /** Tokens that a request and its answer may have together. */
  readonly window: number | null;
  /** Tokens of the longest answer. */
  readonly maxOutput: number | null;
  /** Whether it reads pictures. */
  readonly images: boolean | null;
  /** Whether it reads PDF files. */
  readonly pdf: boolean | null;
  readonly prices: ModelPrices | null;
  /** The day of which this is known, as `2026-11-29`. */
  readonly dated: string | null;
}

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had in its cache. Without one, such input costs what other input does. */
  readonly cacheRead?: number;
  /** Of input that the provider puts in its cache, for the shortest time that it offers. */
  readonly cacheWrite?: number;
}

export interface ModelPrices extends TokenPrices {
  /** What the whole request costs where its input, cached or not, has more than `over` tokens. */
  readonly long?: TokenPrices & { readonly over: number };
}

/** The prices of a request with `inputTokens` tokens of input, cached ones included. */
export function pricesFor(prices: ModelPrices, inputTokens: number): TokenPrices {
  const { long, ...short } = prices;
  return long !== undefined && inputTokens > long.over ? long : short;
}

export const NO_FACTS: ModelFacts = {
  window: null,
  maxOutput: null,
  images: null,
  pdf: null,
  prices: null,
  dated: null,
};
