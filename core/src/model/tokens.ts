import type { TranscriptMessage } from "./transcript.ts";

/** Tokens that a message has besides its words: its role, the ids of its calls. */
const MESSAGE_TOKENS = 8;

const BEYOND_LATIN = /[^\0-\u024f]/;

/**
 * Estimates how many tokens a model makes of a text where its provider does not say: one for four characters, and for
 * three of scripts beyond Latin.
 */
export function estimateTokens(text: string): number {
  // Told without a look at each character where a text is kept as Latin-1, as most are.
  if (!BEYOND_LATIN.test(text)) return Math.ceil(text.length / 4);
  let beyond = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x24f) beyond++;
  return Math.ceil((text.length - beyond) / 4 + beyond / 3);
}

type Counted = Pick<TranscriptMessage, "text" | "toolCalls" | "providerParts">;

/** A text of fewer UTF-16 units is counted sooner than looked up. */
const SHORT = 200;

/** Rows never change: each of the others is counted once. */
const counted = new WeakMap<Counted, number>();

/** Estimates how many tokens a model is sent with these messages. */
export function tokensOf(messages: readonly Counted[]): number {
  return messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
}

/** At least as much as {@link tokensOf}, for a fraction of its time: most transcripts are far from filling a window. */
export function mostTokensOf(messages: readonly Counted[]): number {
  let sum = 0;
  for (const message of messages) {
    sum += isText(message) ? MESSAGE_TOKENS + Math.ceil(message.text.length / 3) : tokensOfMessage(message);
  }
  return sum;
}

function isText({ toolCalls, providerParts }: Counted): boolean {
  return toolCalls === undefined && providerParts === undefined;
}

function tokensOfMessage(message: Counted): number {
  if (isText(message) && message.text.length < SHORT) return MESSAGE_TOKENS + estimateTokens(message.text);
  const known = counted.get(message);
  if (known !== undefined) return known;
  const { text, toolCalls = [], providerParts } = message;
  const calls = toolCalls.reduce((sum, { name, input }) => sum + inputTokens(name, input), 0);
  const parts = providerParts === undefined ? 0 : estimateTokens(providerParts.parts);
  const tokens = MESSAGE_TOKENS + estimateTokens(text) + calls + parts;
  counted.set(message, tokens);
  return tokens;
}

function inputTokens(name: string, input: unknown): number {
  return MESSAGE_TOKENS + estimateTokens(name) + estimateTokens(JSON.stringify(input) ?? "");
}
