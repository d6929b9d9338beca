import type { LanguageModel } from "ai";
import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { ModelTimeouts, ProviderConfig } from "../config/config.ts";
import { askingForCounts } from "./asking-for-counts.ts";
import { modelFetch } from "./model-fetch.ts";
import { parseModelName } from "./model-name.ts";

export interface ProviderSettings {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeouts: ModelTimeouts;
  readonly clock: Clock;
}

/** A model that is ready to be called. */
export interface ResolvedModel {
  readonly model: LanguageModel;
  readonly provider: string;
  /** Where the key came from, in words for a person; null without a key. */
  readonly keySource: string | null;
  readonly apiKey: string | null;
}

/** The address, protocol and key of a provider's server. */
export interface ProviderAccess {
  readonly provider: string;
  /** `compatible`: any server that speaks OpenAI's protocol. */
  readonly protocol: "anthropic" | "openai" | "compatible";
  /** Ends with the API version, such as `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** Where the key came from, in words for a person; null without a key. */
  readonly keySource: string | null;
}

/** Model servers that people run on their own machine, by their default address. */
export const LOCAL_SERVERS: ReadonlyMap<string, string> = new Map([
  ["ollama", "http://127.0.0.1:11434/v1"],
  ["lmstudio", "http://127.0.0.1:1234/v1"],
]);

/** The providers that need no entry in the config, by their default address; the environment can name another. */
export const BUILT_IN_SERVERS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "https://api.anthropic.com/v1"],
  ["openai", "https://api.openai.com/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ...LOCAL_SERVERS,
]);

/**
 * Resolves a model name (`<provider>/<model>`), and loads only the package for its provider. Throws AGENT_MODEL_INVALID,
 * AGENT_PROVIDER_UNKNOWN and AGENT_KEY_MISSING.
 */
export async function resolveModel(name: string, settings: ProviderSettings): Promise<ResolvedModel> {
  const { provider, model } = parseModelName(name);
  const access = providerAccess(provider, settings);
  const { protocol, baseUrl: baseURL, keySource } = access;
  const fetch = modelFetch(settings.clock, settings.timeouts);
  const request = { baseURL, fetch, ...(access.apiKey === null ? {} : { apiKey: access.apiKey }) };
  const resolved = { provider, keySource, apiKey: access.apiKey };
  if (protocol === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return { ...resolved, model: createAnthropic(request)(model) };
  }
  if (protocol === "openai") {
    const { createOpenAI } = await import("@ai-sdk/openai");
    // Chat completions rather than the responses API: servers at another base URL speak that, too.
    return { ...resolved, model: createOpenAI(request).chat(model) };
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const settingsOf = { name: provider, ...request, fetch: askingForCounts(fetch), includeUsage: true };
  return { ...resolved, model: createOpenAICompatible(settingsOf)(model) };
}

/**
 * Finds a provider's address, protocol and key. A provider of the config takes precedence over a built-in one of the same
 * name. Throws AGENT_PROVIDER_UNKNOWN and AGENT_KEY_MISSING.
 */
export function providerAccess(
  provider: string,
  { providers, environment }: Pick<ProviderSettings, "providers" | "environment">,
): ProviderAccess {
  const configured = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (configured) {
    const apiKey = configured.apiKey || null;
    const keySource = apiKey && `providers.${provider}.apiKey in the config`;
    return { provider, protocol: "compatible", baseUrl: configured.baseUrl, apiKey, keySource };
  }
  const baseUrl = BUILT_IN_SERVERS.get(provider);
  if (baseUrl === undefined) {
    const known = [...new Set([...BUILT_IN_SERVERS.keys(), ...Object.keys(providers)])].join(", ");
    throw new HermesError("AGENT_PROVIDER_UNKNOWN", { provider, known });
  }
  if (LOCAL_SERVERS.has(provider)) return { provider, protocol: "compatible", baseUrl, apiKey: null, keySource: null };
  const keySource = `${provider.toUpperCase()}_API_KEY`;
  const found = { provider, keySource, apiKey: keyFrom(environment, provider, keySource) };
  switch (provider) {
    case "anthropic":
      return { ...found, protocol: provider, baseUrl: withVersion(environment.ANTHROPIC_BASE_URL || baseUrl) };
    case "openai":
      return { ...found, protocol: provider, baseUrl: environment.OPENAI_BASE_URL || baseUrl };
    default:
      return { ...found, protocol: "compatible", baseUrl };
  }
}

function keyFrom(environment: NodeJS.ProcessEnv, provider: string, variable: string): string {
  const key = environment[variable]?.trim();
  if (!key) throw new HermesError("AGENT_KEY_MISSING", { provider, variable });
  return key;
}

/** Appends `/v1` if no version is there: other programs want the variable without it, and people set it for all. */
function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, "");
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
}
