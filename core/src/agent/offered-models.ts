import type { Clock } from "../base/clock.ts";
import { runWithin } from "../base/deadline.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import { listModels } from "./list-models.ts";
import type { ListedModel } from "./listed-model.ts";
import {
  BUILT_IN_SERVERS,
  keyInEnvironment,
  LOCAL_SERVERS,
  type ProviderPlaces,
  providerAccess,
} from "./provider-access.ts";

/** Milliseconds that a provider may take to list its models. */
const ANSWERS_WITHIN_MS = 10_000;

/** What one provider offers. */
export interface Offer {
  readonly provider: string;
  /** Null where it could not be asked, and where its server has no list. */
  readonly models: readonly ListedModel[] | null;
  /** Why it could not be asked. */
  readonly error: HermesError | null;
}

/** The providers that can be asked: those of the config, those with a key in the environment, and those of this machine. */
export function configuredProviders({ providers, environment }: ProviderPlaces): readonly string[] {
  const builtIn = [...BUILT_IN_SERVERS.keys()];
  const usable = builtIn.filter((one) => LOCAL_SERVERS.has(one) || keyInEnvironment(one, environment) !== null);
  return [...new Set([...Object.keys(providers), ...usable])];
}

/** Asks providers for what they offer, all at once. Throws only the signal's reason. */
export async function offersOf(
  names: readonly string[],
  places: ProviderPlaces,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Offer[]> {
  return await Promise.all(
    names.map(async (provider): Promise<Offer> => {
      try {
        const access = providerAccess(provider, places);
        const reason = `it did not answer within ${ANSWERS_WITHIN_MS / 1_000} s`;
        const late = new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason });
        const list = (limited: AbortSignal) => listModels(access, limited);
        const { models } = await runWithin(clock, ANSWERS_WITHIN_MS, signal, list, late);
        return { provider, models, error: null };
      } catch (error) {
        signal.throwIfAborted();
        return { provider, models: null, error: asHermesError(error) };
      }
    }),
  );
}
