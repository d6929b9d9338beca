import type { ModelFacts, ModelPrices } from "./model-facts.ts";

/** The day on which the table was compared with what the providers publish. */
const DATED = "2026-11-29";

const M = 1_000_000;
const K = 1_000;

type Row = readonly [window: number, maxOutput: number, prices: ModelPrices | null];

/** Prices of OpenAI: input that its cache had costs `cacheRead`; above 272,000 tokens all of it costs more. */
function openAi(
  input: number,
  cacheRead: number,
  output: number,
  { cacheWrite, flat = false }: OpenAi = {},
): ModelPrices {
  const short = { input, output, cacheRead, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
  if (flat) return short;
  const write = cacheWrite === undefined ? {} : { cacheWrite: 2 * cacheWrite };
  return {
    ...short,
    long: { over: 272 * K, input: 2 * input, output: 1.5 * output, cacheRead: 2 * cacheRead, ...write },
  };
}
type OpenAi = { readonly cacheWrite?: number; readonly flat?: boolean };

/** Prices of Anthropic: what is put in its cache for five minutes costs a quarter more than other input. */
function anthropic(input: number, output: number, cacheRead = input / 10): ModelPrices {
  return { input, output, cacheRead, cacheWrite: 1.25 * input };
}

const HAIKU_5_5: ModelPrices = {
  ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  long: { over: 100 * K, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
};
const google = (input: number, output: number, cacheRead: number): ModelPrices => ({ input, output, cacheRead });
/** Prices of Google's Pro models, which cost more above 200,000 tokens. */
function googlePro(input: number, output: number, cacheRead: number): ModelPrices {
  const long = { over: 200 * K, input: 2 * input, output: 1.5 * output, cacheRead: 2 * cacheRead };
  return { input, output, cacheRead, long };
}

/** Window, longest answer, prices. All of them read pictures and PDF files. Null: a price that ends soon. */
const ROWS: Readonly<Record<string, Row>> = {
  // https://platform.claude.com/docs/en/about-claude/pricing and the page of each model
  "anthropic/claude-fable-5-1": [M, 128 * K, anthropic(10, 50, 0.25)],
  "anthropic/claude-fable-5": [M, 128 * K, anthropic(10, 50)],
  "anthropic/claude-opus-5-5": [M, 128 * K, anthropic(4, 20, 0.2)],
  "anthropic/claude-opus-5": [M, 128 * K, anthropic(5, 25)],
  "anthropic/claude-opus-4-8": [M, 128 * K, anthropic(5, 25)],
  "anthropic/claude-opus-4-7": [M, 128 * K, anthropic(5, 25)],
  "anthropic/claude-opus-4-6": [M, 128 * K, anthropic(5, 25)],
  "anthropic/claude-opus-4-5": [200 * K, 64 * K, anthropic(5, 25)],
  "anthropic/claude-sonnet-5-5": [M, 128 * K, anthropic(2, 10, 0.1)],
  "anthropic/claude-sonnet-5": [M, 128 * K, anthropic(2, 10)],
  "anthropic/claude-sonnet-4-6": [M, 64 * K, anthropic(3, 15)],
  "anthropic/claude-sonnet-4-5": [200 * K, 64 * K, anthropic(3, 15)],
  "anthropic/claude-haiku-5-5": [M, 128 * K, HAIKU_5_5],
  "anthropic/claude-haiku-4-5": [200 * K, 64 * K, anthropic(1, 5)],

  // https://developers.openai.com/api/docs/pricing and the page of each model
  "openai/gpt-6.2-astra": [1_050_000, 128 * K, openAi(8, 0.4, 40, { cacheWrite: 10 })],
  "openai/gpt-6.2-sol": [1_050_000, 128 * K, openAi(2, 0.1, 10, { cacheWrite: 2.5 })],
  "openai/gpt-6.1-sol": [1_050_000, 128 * K, openAi(2, 0.1, 10, { cacheWrite: 2.5 })],
  "openai/gpt-6.1-terra": [1_050_000, 128 * K, openAi(1, 0.05, 5, { cacheWrite: 1.25 })],
  "openai/gpt-6-astra": [1_050_000, 128 * K, openAi(10, 1, 50)],
  "openai/gpt-6-sol": [1_050_000, 128 * K, openAi(2, 0.2, 10)],
  "openai/gpt-6-luna": [1_050_000, 128 * K, openAi(0.1, 0.01, 0.5)],
  "openai/gpt-5.6-sol": [1_050_000, 128 * K, openAi(4, 0.4, 20)],
  "openai/gpt-5.5": [1_050_000, 128 * K, openAi(5, 0.5, 30)],
  "openai/gpt-5.4": [1_050_000, 128 * K, openAi(2.5, 0.25, 15)],
  "openai/gpt-5.4-mini": [400 * K, 128 * K, openAi(0.75, 0.075, 4.5, { flat: true })],
  "openai/gpt-5.2": [400 * K, 128 * K, openAi(1.75, 0.175, 14, { flat: true })],
  "openai/gpt-5.1": [400 * K, 128 * K, openAi(1.25, 0.125, 10, { flat: true })],
  "openai/gpt-5": [400 * K, 128 * K, openAi(1.25, 0.125, 10, { flat: true })],
  "openai/gpt-5-mini": [400 * K, 128 * K, openAi(0.25, 0.025, 2, { flat: true })],
  "openai/gpt-5-nano": [400 * K, 128 * K, openAi(0.05, 0.005, 0.4, { flat: true })],
  "openai/gpt-4.1": [1_047_576, 32_768, openAi(2, 0.5, 8, { flat: true })],
  "openai/gpt-4.1-mini": [1_047_576, 32_768, openAi(0.4, 0.1, 1.6, { flat: true })],
  "openai/gpt-4o": [128 * K, 16_384, openAi(2.5, 1.25, 10, { flat: true })],
  "openai/gpt-4o-mini": [128 * K, 16_384, openAi(0.15, 0.075, 0.6, { flat: true })],
  "openai/o3": [200 * K, 100 * K, openAi(2, 0.5, 8, { flat: true })],
  "openai/o4-mini": [200 * K, 100 * K, openAi(1.1, 0.275, 4.4, { flat: true })],

  // https://ai.google.dev/gemini-api/docs/pricing: Gemini 4 Argon and Carbon as from 1 December 2026
  "google/gemini-4-argon": [1_048_576, 65_536, google(4, 20, 0.2)],
  "google/gemini-4-carbon": [1_048_576, 65_536, google(4, 20, 0.2)],
  "google/gemini-4-neon": [1_048_576, 65_536, google(3, 15, 0.15)],
  "google/gemini-4-hydrogen": [1_048_576, 65_536, google(1.5, 7.5, 0.075)],
  "google/gemini-3.8-flash": [1_048_576, 65_536, null],
  "google/gemini-3.5-flash": [1_048_576, 65_536, google(1.5, 9, 0.15)],
  "google/gemini-3.1-pro-preview": [1_048_576, 65_536, googlePro(2, 12, 0.2)],
  "google/gemini-3-flash-preview": [1_048_576, 65_536, google(0.5, 3, 0.05)],
  "google/gemini-2.5-pro": [1_048_576, 65_536, googlePro(1.25, 10, 0.125)],
  "google/gemini-2.5-flash": [1_048_576, 65_536, google(0.3, 2.5, 0.03)],
  "google/gemini-2.5-flash-lite": [1_048_576, 65_536, google(0.1, 0.4, 0.01)],
};

/** What OpenRouter calls some of them. It asks what their makers do: https://openrouter.ai/docs/faq, "Pricing and Fees". */
const AT_OPENROUTER = [
  "anthropic/claude-opus-5-5",
  "anthropic/claude-sonnet-5-5",
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-haiku-4-5",
  "openai/gpt-6.1-sol",
  "openai/gpt-5.4",
  "google/gemini-2.5-pro",
  "google/gemini-2.5-flash",
];

/** What Hermes itself knows of models, by `<provider>/<model>`. */
export const KNOWN_MODELS: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries(ROWS).flatMap(([name, [window, maxOutput, prices]]) => {
    const facts: ModelFacts = { window, maxOutput, prices, images: true, pdf: true, dated: DATED };
    // OpenRouter writes `claude-opus-5.5` where Anthropic writes `claude-opus-5-5`.
    const there = `openrouter/${name.replaceAll(/(\d)-(?=\d)/g, "$1.")}`;
    return AT_OPENROUTER.includes(name) ? [[name, facts] as const, [there, facts] as const] : [[name, facts] as const];
  }),
);
