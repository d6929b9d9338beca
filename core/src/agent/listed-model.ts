import type { ModelFacts, ModelPrices } from "./model-facts.ts";

/** A model in a server's list. */
export interface ListedModel {
  /** The name by which it is asked. */
  readonly id: string;
  /** Whether it can be talked to, as far as that shows: lists have models for pictures, voices and searches as well. */
  readonly talks: boolean;
  /** What the server says of it; no key where it says nothing. */
  readonly facts: Partial<ModelFacts>;
}

type Fields = Readonly<Record<string, unknown>>;

const OTHER_MODELS =
  /embed|whisper|tts|dall-e|image|moderation|realtime|audio|transcribe|sora|davinci|babbage|rerank|veo|imagen/;

/**
 * Reads an entry of a list, whoever sent it: each provider has its own names for the same facts. Null where it has no
 * name.
 */
export function readListed(entry: unknown): ListedModel | null {
  const model = fieldsOf(entry);
  // Google's have `name` with `models/` before it.
  const id = typeof model.id === "string" ? model.id : String(model.name ?? "").replace(/^models\//, "");
  if (!/^\S+$/.test(id)) return null;
  const { supportedGenerationMethods: methods } = model;
  const talks = Array.isArray(methods) ? methods.includes("generateContent") : true;
  return { id, talks: talks && !OTHER_MODELS.test(id), facts: factsIn(model) };
}

function factsIn(model: Fields): Partial<ModelFacts> {
  const best = fieldsOf(model.top_provider);
  const window = firstNumber(
    ...[best.context_length, model.context_length, model.context_window, model.max_context_length],
    ...[model.max_model_len, model.max_input_tokens, model.inputTokenLimit],
  );
  const maxOutput = firstNumber(
    ...[best.max_completion_tokens, model.max_completion_tokens, model.max_tokens, model.outputTokenLimit],
  );
  const prices = pricesIn(fieldsOf(model.pricing));
  return {
    ...(window !== null && { window }),
    ...(maxOutput !== null && { maxOutput }),
    ...(prices !== null && { prices }),
    ...readsIn(model),
  };
}

/** What it reads: as OpenRouter says it (`architecture`), and as Anthropic does (`capabilities`). */
function readsIn(model: Fields): Pick<Partial<ModelFacts>, "images" | "pdf"> {
  const { input_modalities: modalities } = fieldsOf(model.architecture);
  if (Array.isArray(modalities)) {
    return { images: modalities.includes("image"), ...(modalities.includes("file") && { pdf: true }) };
  }
  const { image_input, pdf_input } = fieldsOf(model.capabilities);
  const images = fieldsOf(image_input).supported;
  const pdf = fieldsOf(pdf_input).supported;
  return { ...(typeof images === "boolean" && { images }), ...(typeof pdf === "boolean" && { pdf }) };
}

/** OpenRouter's prices, which are texts, in dollars per token. Below zero: it depends. */
function pricesIn({ prompt, completion, input_cache_read, input_cache_write }: Fields): ModelPrices | null {
  const [input, output] = [perMillion(prompt), perMillion(completion)];
  if (input === null || output === null) return null;
  const [cacheRead, cacheWrite] = [perMillion(input_cache_read), perMillion(input_cache_write)];
  return { input, output, ...(cacheRead !== null && { cacheRead }), ...(cacheWrite !== null && { cacheWrite }) };
}

function perMillion(price: unknown): number | null {
  if (typeof price !== "string" || price.trim() === "") return null;
  const dollars = Number(price);
  // Without the digits that the multiplication makes up.
  return dollars >= 0 ? Number((dollars * 1_000_000).toPrecision(10)) : null;
}

function firstNumber(...values: readonly unknown[]): number | null {
  return values.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0) ?? null;
}

function fieldsOf(value: unknown): Fields {
  return Object(value) as Fields;
}
