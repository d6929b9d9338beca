import type { LanguageModel } from "ai";
import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { ModelTimeouts, ProviderConfig } from "../config/config.ts";
import { modelFetch } from "./model-fetch.ts";
import { parseModelName } from "./model-name.ts";

export interface ProviderSettings {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeouts: ModelTimeouts;
  readonly clock: Clock;
}

/** A model that can be asked. */
export interface ResolvedModel {
  readonly model: LanguageModel;
  readonly provider: string;
  /** Where the key came from, as a person knows it; null where there is none. */
  readonly keySource: string | null;
  readonly apiKey: string | null;
}

/** Where a provider's server is, and what it is asked with. */
export interface ProviderAccess {
  readonly provider: string;
  /** `compatible`: whatever speaks OpenAI's protocol. */
  readonly protocol: "anthropic" | "openai" | "compatible";
  /** Up to and with the version: `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** Where the key came from, as a person knows it; null where there is none. */
  readonly keySource: string | null;
}

/** Model servers that people run on their own machine, at the address that each has unless it is changed. */
export const LOCAL_SERVERS: ReadonlyMap<string, string> = new Map([
  ["ollama", "http://127.0.0.1:11434/v1"],
  ["lmstudio", "http://127.0.0.1:1234/v1"],
]);

/** The providers that need no entry in the config, by the address that each has unless the environment names another. */
export const BUILT_IN_SERVERS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "https://api.anthropic.com/v1"],
  ["openai", "https://api.openai.com/v1"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ...LOCAL_SERVERS,
]);

/**
 * Finds the model that `name` (`<provider>/<model>`) names, and loads the one package that speaks to it. Throws
 * AGENT_MODEL_INVALID, AGENT_PROVIDER_UNKNOWN and AGENT_KEY_MISSING.
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
    // Chat completions rather than responses: whatever stands behind another address speaks that too.
    return { ...resolved, model: createOpenAI(request).chat(model) };
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return { ...resolved, model: createOpenAICompatible({ name: provider, ...request })(model) };
}

/**
 * Finds out where a provider is asked, and with which key. A provider of the config goes before a built-in one of the same
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

/** Other programs want this address without the version at its end, and people have one setting for all of them. */
function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, "");
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
}
