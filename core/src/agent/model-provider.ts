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

/** A server that speaks OpenAI's protocol. */
interface CompatibleServer {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly keySource: string | null;
}

const LOCAL_SERVERS: ReadonlyMap<string, string> = new Map([
  ["ollama", "http://127.0.0.1:11434/v1"],
  ["lmstudio", "http://127.0.0.1:1234/v1"],
]);

const BUILT_IN = ["anthropic", "openai", "openrouter", ...LOCAL_SERVERS.keys()];

/**
 * Finds the model that `name` (`<provider>/<model>`) names, and loads the one package that speaks to it. A provider of
 * the config goes before a built-in one of the same name. Throws AGENT_MODEL_INVALID, AGENT_PROVIDER_UNKNOWN and
 * AGENT_KEY_MISSING.
 */
export async function resolveModel(name: string, settings: ProviderSettings): Promise<ResolvedModel> {
  const { provider, model } = parseModelName(name);
  const { environment } = settings;
  const fetch = modelFetch(settings.clock, settings.timeouts);
  const server = compatibleServer(provider, settings);
  if (server) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { baseUrl, apiKey, keySource } = server;
    const create = createOpenAICompatible({
      name: provider,
      baseURL: baseUrl,
      fetch,
      ...(apiKey === null ? {} : { apiKey }),
    });
    return { model: create(model), provider, keySource, apiKey };
  }
  if (provider === "anthropic") {
    const apiKey = keyFrom(environment, provider, "ANTHROPIC_API_KEY");
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const baseURL = withVersion(environment.ANTHROPIC_BASE_URL || "https://api.anthropic.com");
    return {
      model: createAnthropic({ apiKey, baseURL, fetch })(model),
      provider,
      keySource: "ANTHROPIC_API_KEY",
      apiKey,
    };
  }
  if (provider === "openai") {
    const apiKey = keyFrom(environment, provider, "OPENAI_API_KEY");
    const { createOpenAI } = await import("@ai-sdk/openai");
    const baseURL = environment.OPENAI_BASE_URL || "https://api.openai.com/v1";
    // Chat completions rather than responses: whatever stands behind another address speaks that too.
    return {
      model: createOpenAI({ apiKey, baseURL, fetch }).chat(model),
      provider,
      keySource: "OPENAI_API_KEY",
      apiKey,
    };
  }
  const known = [...new Set([...BUILT_IN, ...Object.keys(settings.providers)])].join(", ");
  throw new HermesError("AGENT_PROVIDER_UNKNOWN", { provider, known });
}

function compatibleServer(provider: string, { providers, environment }: ProviderSettings): CompatibleServer | null {
  const configured = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (configured) {
    const apiKey = configured.apiKey || null;
    return { baseUrl: configured.baseUrl, apiKey, keySource: apiKey && `providers.${provider}.apiKey in the config` };
  }
  if (provider === "openrouter") {
    const apiKey = keyFrom(environment, provider, "OPENROUTER_API_KEY");
    return { baseUrl: "https://openrouter.ai/api/v1", apiKey, keySource: "OPENROUTER_API_KEY" };
  }
  const baseUrl = LOCAL_SERVERS.get(provider);
  return baseUrl === undefined ? null : { baseUrl, apiKey: null, keySource: null };
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
