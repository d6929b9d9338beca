import { MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { HermesError } from "../base/errors.ts";
import type { Host } from "./host.ts";

/**
 * Says which limits in dollars count nothing, since the price of a model of the config is not known; null where each
 * counts.
 */
export function unpricedLimits({ config, container }: Pick<Host, "config" | "container">): HermesError | null {
  const { model, models, limits } = config;
  const { fallback = [] }: { readonly known: unknown; readonly fallback?: readonly string[] } = models;
  const catalogue = container.resolve(MODEL_CATALOGUE);
  const unpriced = [model ?? [], fallback].flat().filter((one) => catalogue.factsOf(one).prices === null);
  const blind = Object.entries(limits).filter(
    ([, limit]) => limit?.dollars !== undefined && limit.tokens === undefined,
  );
  if (blind.length === 0 || unpriced.length === 0) return null;
  const keys = blind.map(([scope]) => `\`limits.${scope}\``).join(" and ");
  return new HermesError("CONFIG_LIMIT_UNPRICED", { limits: keys, models: unpriced.join(" and ") });
}
