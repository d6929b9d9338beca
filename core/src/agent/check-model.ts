import { hasModel, listModels, type ModelList } from "./list-models.ts";
import type { ListedModel } from "./listed-model.ts";
import { parseModelName } from "./model-name.ts";
import { LOCAL_SERVERS, type ProviderAccess, type ProviderPlaces, providerAccess } from "./provider-access.ts";

/** Milliseconds that a server on this machine may take to answer. */
const LOCAL_MS = 1_500;

/** The result of checking a model by a real call. */
export interface CheckedModel extends ModelList {
  readonly access: ProviderAccess;
  /** Whether the provider has the model; null when its server has no list. */
  readonly isThere: boolean | null;
}

/**
 * Checks the model `name` (`<provider>/<model>`) by free calls. Throws AGENT_MODEL_INVALID, AGENT_PROVIDER_UNKNOWN,
 * AGENT_KEY_MISSING, and as `listModels` does.
 */
export async function checkModel(name: string, places: ProviderPlaces, signal: AbortSignal): Promise<CheckedModel> {
  const { provider, model } = parseModelName(name);
  const access = providerAccess(provider, places);
  const list = await listModels(access, signal);
  return { ...list, access, isThere: list.models && (await hasModel(access, model, list.models, signal)) };
}

/** A model server that runs on this machine. */
export interface LocalServer {
  /** `ollama` or `lmstudio`. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly ListedModel[];
}

/** Looks for Ollama and LM Studio at their default addresses. Throws only the signal's reason. */
export async function findLocalServers(
  signal: AbortSignal,
  addresses: ReadonlyMap<string, string> = LOCAL_SERVERS,
): Promise<readonly LocalServer[]> {
  const found = [...addresses].map(async ([provider, baseUrl]): Promise<LocalServer[]> => {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_MS)]);
      const access = { provider, baseUrl, protocol: "compatible", apiKey: null, keySource: null } as const;
      const { models } = await listModels(access, within);
      return models === null ? [] : [{ provider, baseUrl, models }];
    } catch {
      signal.throwIfAborted();
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}
