import { sentTokens, type TokenUsage } from "../model/usage.ts";
import { type ModelPrices, pricesFor } from "./model-facts.ts";

/**
 * What a request costs, in millionths of a US dollar; null where the prices are not known. A dollar for a million tokens
 * is a millionth for each.
 */
export function requestCost(prices: ModelPrices | null, usage: TokenUsage): number | null {
  if (prices === null) return null;
  const { input, output, cacheRead = input, cacheWrite = input } = pricesFor(prices, sentTokens(usage));
  return Math.round(
    usage.input * input + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite + usage.output * output,
  );
}
