import { count } from "../base/text.ts";
import { sentTokens, totalTokens, type UsageSum } from "./usage.ts";

/** `842`, `12.3k`, `1.2M`. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${short(tokens / 1_000)}k`;
  return `${short(tokens / 1_000_000)}M`;
}

function short(number: number): string {
  return number < 100 ? number.toFixed(1).replace(/\.0$/, "") : String(Math.round(number));
}

/** Millionths of a dollar as dollars: `$0`, `$0.0042`, `$0.015`, `$12.34`. */
export function dollarsText(cost: number): string {
  if (cost === 0) return "$0";
  if (cost < 100) return "less than $0.0001";
  return `$${(cost / 1_000_000).toFixed(cost < 10_000 ? 4 : cost < 100_000 ? 3 : 2)}`;
}

/**
 * What requests cost: `$1.20`, `at least $1.20` where the price of some is not known, `unknown` where that of all is
 * not.
 */
export function costText(sum: UsageSum): string {
  if (sum.unpriced === 0) return dollarsText(sum.cost);
  return sum.unpriced === totalTokens(sum) ? "unknown" : `at least ${dollarsText(sum.cost)}`;
}

/**
 * What requests used, without a full stop: `$1.20 for 3 requests: 45k tokens sent (40k of them from the cache), 2k
 * written`.
 */
export function usageText(sum: UsageSum): string {
  const { requests, cacheRead, output, unpriced, estimated } = sum;
  if (requests === 0) return "nothing";
  const cached = cacheRead === 0 ? "" : ` (${tokensText(cacheRead)} of them from the cache)`;
  const cost = costText(sum) === "unknown" ? "an unknown price" : costText(sum);
  const notes = [
    ...(unpriced > 0 ? [`${tokensText(unpriced)} tokens have an unknown price`] : []),
    ...(estimated > 0 ? [`the tokens of ${count(estimated, "request")} are estimated`] : []),
  ];
  const tokens = `${tokensText(sentTokens(sum))} tokens sent${cached}, ${tokensText(output)} written`;
  return [`${cost} for ${count(requests, "request")}: ${tokens}`, ...notes].join("; ");
}
