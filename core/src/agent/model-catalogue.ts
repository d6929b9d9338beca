import { type Token, token } from "../base/tokens.ts";
import type { KnownModel } from "../config/config.ts";
import { KNOWN_MODELS } from "./known-models.ts";
import { type ModelFacts, NO_FACTS } from "./model-facts.ts";

/** What is known of models: windows, prices, what they read. */
export interface ModelCatalogue {
  /**
   * Of an unknown model, and of a name that is none, nothing is known: all is null. `model`: `<provider>/<model>`. `said`:
   * what its provider says, which beats all but the config.
   */
  factsOf(model: string, said?: Partial<ModelFacts>): ModelFacts;
}

export const MODEL_CATALOGUE: Token<ModelCatalogue> = token("model-catalogue");

/** Tokens that a model is taken to read whose window nobody knows. */
const UNKNOWN_WINDOW = 128_000;

/** How many tokens a model is taken to read. */
export function windowOf(catalogue: Pick<ModelCatalogue, "factsOf"> | undefined, model: string): number {
  return catalogue?.factsOf(model).window ?? UNKNOWN_WINDOW;
}

/** What the config says of models, by `<provider>/<model>`. */
export type ConfiguredFacts = Readonly<Record<string, KnownModel>>;

/** Makes the catalogue of Hermes' own table; what the config says of a model, fact by fact, takes precedence. */
export function createModelCatalogue(configured: ConfiguredFacts = {}): ModelCatalogue {
  return {
    factsOf(model, said) {
      const known = KNOWN_MODELS.get(model) ?? KNOWN_MODELS.get(withoutSnapshot(model)) ?? NO_FACTS;
      const own = Object.hasOwn(configured, model) ? Object.entries(configured[model] ?? {}) : [];
      const set = own.filter(([, value]) => value !== undefined);
      return set.length === 0 && said === undefined ? known : { ...known, ...said, ...Object.fromEntries(set) };
    },
  };
}

/** The model of which `claude-sonnet-4-5-20250929` and `gpt-5.4-2026-03-05` are the state of one day. */
function withoutSnapshot(model: string): string {
  return model.replace(/-20\d\d-?\d\d-?\d\d$/, "");
}
