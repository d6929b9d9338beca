import type { LanguageModel, ProviderMetadata } from "ai";
import type { Clock } from "../base/clock.ts";
import type { ModelTimeouts } from "../config/config.ts";
import { askingForCounts } from "./asking-for-counts.ts";
import { withOpenRouterMarks } from "./cache-marks.ts";
import { modelFetch } from "./model-fetch.ts";
import { parseModelName } from "./model-name.ts";
import { type Protocol, type ProviderPlaces, providerAccess } from "./provider-access.ts";

export interface ProviderSettings extends ProviderPlaces {
  readonly timeouts: ModelTimeouts;
  readonly clock: Clock;
}

/** A model that is ready to be called. */
export interface ResolvedModel {
  readonly model: LanguageModel;
  readonly provider: string;
  readonly protocol: Protocol;
  /** Whether it is told by marks what it may keep in its cache. */
  readonly takesMarks?: boolean;
  /** What each request of it says, in the words of its SDK. */
  readonly options?: ProviderMetadata;
  /** Where the key came from, in words for a person; null without a key. */
  readonly keySource: string | null;
  readonly apiKey: string | null;
}

/**
 * Resolves a model name (`<provider>/<model>`), and loads only the package for its provider. Throws AGENT_MODEL_INVALID,
 * AGENT_PROVIDER_UNKNOWN and AGENT_KEY_MISSING.
 */
export async function resolveModel(name: string, settings: ProviderSettings): Promise<ResolvedModel> {
  const { provider, model } = parseModelName(name);
  const access = providerAccess(provider, settings);
  const { protocol, baseUrl: baseURL, keySource } = access;
  const fetch = modelFetch(provider, settings.clock, settings.timeouts);
  const request = { baseURL, fetch, ...(access.apiKey === null ? {} : { apiKey: access.apiKey }) };
  const resolved = { provider, protocol, keySource, apiKey: access.apiKey };
  if (protocol === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return { ...resolved, takesMarks: true, model: createAnthropic(request)(model) };
  }
  if (protocol === "google") {
    const { createGoogle } = await import("@ai-sdk/google");
    return { ...resolved, model: createGoogle(request)(model) };
  }
  if (protocol === "openai" || protocol === "responses") {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const openai = createOpenAI(request);
    if (protocol === "openai") return { ...resolved, model: openai.chat(model) };
    // Sessions are kept here alone. What the model thought comes back sealed instead, and is sent along.
    return { ...resolved, model: openai.responses(model), options: { openai: { store: false } } };
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const settingsOf = { name: provider, ...request, fetch: askingForCounts(fetch), includeUsage: true };
  // OpenRouter hands marks on to the makers whose models want them.
  const takesMarks = provider === "openrouter" && /^~?anthropic\//.test(model);
  const marking = takesMarks ? { transformRequestBody: withOpenRouterMarks } : {};
  return { ...resolved, takesMarks, model: createOpenAICompatible({ ...settingsOf, ...marking })(model) };
}
