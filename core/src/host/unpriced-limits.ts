import { MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { HermesError } from "../base/errors.ts";
import type { Host } from "./host.ts";

/** Says which limits in dollars count nothing, since the price of the config's model is not known; null where each counts. */
export function unpricedLimits({ config, container }: Pick<Host, "config" | "container">): HermesError | null {
  const { model, limits } = config;
  if (model === null || container.resolve(MODEL_CATALOGUE).factsOf(model).prices !== null) return null;
  const blind = Object.entries(limits).filter(
    ([, limit]) => limit?.dollars !== undefined && limit.tokens === undefined,
  );
  if (blind.length === 0) return null;
  const keys = blind.map(([scope]) => `\`limits.${scope}\``).join(" and ");
  return new HermesError("CONFIG_LIMIT_UNPRICED", { limits: keys, model });
}
