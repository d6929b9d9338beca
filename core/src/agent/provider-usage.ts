import type { LanguageModelUsage } from "ai";
import type { TokenUsage } from "../model/usage.ts";

/** Reads what a provider counted; undefined where it counted nothing. */
export function usageFrom({
  inputTokens,
  inputTokenDetails,
  outputTokens,
}: LanguageModelUsage): TokenUsage | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheRead = count(inputTokenDetails.cacheReadTokens);
  const cacheWrite = count(inputTokenDetails.cacheWriteTokens);
  const input = count(inputTokenDetails.noCacheTokens ?? count(inputTokens) - cacheRead - cacheWrite);
  return { input, cacheRead, cacheWrite, output: count(outputTokens) };
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && tokens > 0 ? Math.round(tokens) : 0;
}
