import { createModelCatalogue, type ModelCatalogue } from "../agent/model-catalogue.ts";
import { HermesError } from "../base/errors.ts";
import type { LoadedConfig } from "../config/config.ts";

/**
 * Says which limits in dollars count tokens instead, since the price of a model of the config is not known; null where
 * none does.
 */
export function unpricedLimits(
  { model, models, limits }: Pick<LoadedConfig, "model" | "models" | "limits">,
  catalogue: Pick<ModelCatalogue, "factsOf"> = createModelCatalogue(models.known),
): HermesError | null {
  const { fallback = [] }: { readonly known: unknown; readonly fallback?: readonly string[] } = models;
  const unpriced = [model ?? [], fallback].flat().filter((one) => catalogue.factsOf(one).prices === null);
  const blind = Object.entries(limits).filter(
    ([, limit]) => limit?.dollars !== undefined && limit.tokens === undefined,
  );
  if (blind.length === 0 || unpriced.length === 0) return null;
  const keys = blind.map(([scope]) => `\`limits.${scope}\``).join(" and ");
  return new HermesError("CONFIG_LIMIT_UNPRICED", { limits: keys, models: unpriced.join(" and ") });
}
