import { HermesError } from "../base/errors.ts";
import type { ProviderConfig } from "../config/config.ts";

/** Where providers and their keys are looked up. */
export interface ProviderPlaces {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * How a server is spoken to: `openai` by OpenAI's chat completions, `responses` by its responses API, `compatible` as any
 * server does that speaks OpenAI's chat completions.
 */
export type Protocol = "anthropic" | "openai" | "responses" | "google" | "compatible";

/** The address, protocol and key of a provider's server. */
export interface ProviderAccess {
  readonly provider: string;
  readonly protocol: Protocol;
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
  ["google", "https://generativelanguage.googleapis.com/v1beta"],
  ["openrouter", "https://openrouter.ai/api/v1"],
  ...LOCAL_SERVERS,
]);

/** The variables that may hold the key of a built-in provider; the first that is set counts. */
export function keyVariablesOf(provider: string): readonly [string, ...string[]] {
  return provider === "google"
    ? ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"]
    : [`${provider.toUpperCase()}_API_KEY`];
}

/** What the environment holds as the key of a built-in provider, and in which variable; null where none is set. */
export function keyInEnvironment(
  provider: string,
  environment: NodeJS.ProcessEnv,
): { readonly variable: string; readonly key: string } | null {
  for (const variable of keyVariablesOf(provider)) {
    const key = environment[variable]?.trim();
    if (key) return { variable, key };
  }
  return null;
}

/**
 * Finds a provider's address, protocol and key. A provider of the config takes precedence over a built-in one of the same
 * name. Throws AGENT_PROVIDER_UNKNOWN and AGENT_KEY_MISSING.
 */
export function providerAccess(provider: string, { providers, environment }: ProviderPlaces): ProviderAccess {
  const configured = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (configured) {
    const apiKey = configured.apiKey || null;
    const keySource = apiKey && `providers.${provider}.apiKey in the config`;
    return { provider, protocol: configured.protocol ?? "compatible", baseUrl: configured.baseUrl, apiKey, keySource };
  }
  const baseUrl = BUILT_IN_SERVERS.get(provider);
  if (baseUrl === undefined) {
    const known = [...new Set([...BUILT_IN_SERVERS.keys(), ...Object.keys(providers)])].join(", ");
    throw new HermesError("AGENT_PROVIDER_UNKNOWN", { provider, known });
  }
  if (LOCAL_SERVERS.has(provider)) return { provider, protocol: "compatible", baseUrl, apiKey: null, keySource: null };
  const found = keyInEnvironment(provider, environment);
  if (found === null) {
    throw new HermesError("AGENT_KEY_MISSING", { provider, variable: keyVariablesOf(provider).join(" or ") });
  }
  return { provider, keySource: found.variable, apiKey: found.key, ...serverOf(provider, baseUrl, environment) };
}

/** Where a built-in provider is, and how it is spoken to. */
function serverOf(
  provider: string,
  baseUrl: string,
  environment: NodeJS.ProcessEnv,
): Pick<ProviderAccess, "protocol" | "baseUrl"> {
  switch (provider) {
    case "anthropic":
      return { protocol: provider, baseUrl: withVersion(environment.ANTHROPIC_BASE_URL || baseUrl, "/v1") };
    case "google":
      return { protocol: provider, baseUrl: withVersion(environment.GOOGLE_GEMINI_BASE_URL || baseUrl, "/v1beta") };
    case "openai": {
      const address = environment.OPENAI_BASE_URL || baseUrl;
      // OpenAI's newer models take no tools by chat completions; servers at another address may speak nothing else.
      return { protocol: new URL(address).host === new URL(baseUrl).host ? "responses" : "openai", baseUrl: address };
    }
    default:
      return { protocol: "compatible", baseUrl };
  }
}

/** Appends the version if none is there: other programs want the variable without it, and people set it for all. */
function withVersion(url: string, version: string): string {
  const bare = url.replace(/\/+$/, "");
  return /\/v\d+\w*$/.test(bare) ? bare : `${bare}${version}`;
}
