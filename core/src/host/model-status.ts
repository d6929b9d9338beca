import { describeModel } from "../agent/describe-model.ts";
import { MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { ModelHealth } from "../agent/model-health.ts";
import type { Host } from "./host.ts";

/** A model of the config, and how it did when it was asked last. */
export interface ModelStatus {
  /** `<provider>/<model>` */
  readonly model: string;
  /** Whether it is asked where another one does not answer. */
  readonly isFallback: boolean;
  /** In tokens; null where it is not known. */
  readonly window: number | null;
  /** What is known of it, in words. */
  readonly facts: string;
  /** Why it did not answer when it was asked last, and when; null where it did, or was never asked. */
  readonly failure: { readonly at: number; readonly why: string } | null;
}

/** The config's model and those of `models.fallback`. Empty where none is set. */
export function modelStatus({ config, container, home, clock }: Host): readonly ModelStatus[] {
  const health = new ModelHealth(home, clock);
  const catalogue = container.resolve(MODEL_CATALOGUE);
  const models = [...(config.model === null ? [] : [config.model]), ...config.models.fallback];
  return [...new Set(models)].map((model, at) => {
    const facts = catalogue.factsOf(model);
    const isFallback = at > 0 || config.model === null;
    return { model, isFallback, window: facts.window, facts: describeModel(facts), failure: health.failureOf(model) };
  });
}
