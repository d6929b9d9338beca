import type { Clock } from "../base/clock.ts";
import { runWithin } from "../base/deadline.ts";
import { HermesError } from "../base/errors.ts";
import { nearMiss } from "../base/near-miss.ts";
import { type Token, token } from "../base/tokens.ts";
import type { CheckedChoice, ModelChoice } from "../model/model-choice.ts";
import { describeModel } from "./describe-model.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";
import { parseModelName } from "./model-name.ts";
import { type ProviderPlaces, providerAccess } from "./provider-access.ts";

export const MODEL_CHOICE: Token<ModelChoice> = token("model-choice");

/** Milliseconds that a provider may take: a person waits. */
const ANSWERS_WITHIN_MS = 10_000;
const MOST_NEAR = 3;

/** Makes the choice of models of a config. `others`: the models that it names besides. */
export function createModelChoice(
  usual: string | null,
  others: readonly string[],
  places: ProviderPlaces,
  { catalogue, clock }: { readonly catalogue: ModelCatalogue; readonly clock: Clock },
): ModelChoice {
  return {
    usual,
    named: [...new Set([...(usual === null ? [] : [usual]), ...others])],
    describe: (model) => describeModel(catalogue.factsOf(model)),
    async check(name) {
      const { provider, model } = parseModelName(name);
      // Throws before anything is asked: without a key, no model of the provider can be used.
      providerAccess(provider, places);
      const { checkModel } = await import("./check-model.ts");
      const reason = `it did not answer within ${ANSWERS_WITHIN_MS / 1_000} s`;
      const late = new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason });
      const check = (limited: AbortSignal) => checkModel(name, places, limited);
      try {
        const { signal } = new AbortController();
        const { isThere, models } = await runWithin(clock, ANSWERS_WITHIN_MS, signal, check, late);
        const names = (models ?? []).flatMap(({ id, talks }) => (talks ? [id] : []));
        const near = isThere === false ? likely(model, names).map((id) => `${provider}/${id}`) : [];
        return { isThere, whyUnknown: null, near };
      } catch (error) {
        if (!(error instanceof HermesError) || error.code !== "AGENT_MODELS_UNKNOWN") throw error;
        return { isThere: null, whyUnknown: error.message, near: [] } satisfies CheckedChoice;
      }
    },
  };
}

/** The names that may have been meant: one with a letter wrong, else those that have what was typed. */
function likely(typed: string, names: readonly string[]): readonly string[] {
  const near = nearMiss(typed, names);
  const having = names.filter((name) => name !== near && name.toLowerCase().includes(typed.toLowerCase()));
  return [...(near === null ? [] : [near]), ...having].slice(0, MOST_NEAR);
}
