/** What an agent calls the model of a session for which none is set, in the place of `<provider>/<model>`. */
export const NO_MODEL = "no model";

/** The models that sessions can be given. */
export interface ModelChoice {
  /** The model of sessions that have none of their own; null: a stand-in answers. */
  readonly usual: string | null;
  /** The models that the config names, the usual one first. */
  readonly named: readonly string[];
  /** What is known of a model, in words: `window 1,000,000 tokens; $4 in, $20 out …`. */
  describe(model: string): string;
  /** Asks the model's provider whether it has it. Throws AGENT_… errors where the model cannot be used whatever it is. */
  check(model: string): Promise<CheckedChoice>;
}

export interface CheckedChoice {
  /** Null where the provider does not tell. */
  readonly isThere: boolean | null;
  /** Why the provider does not tell; null where it keeps no list, and where it does. */
  readonly whyUnknown: string | null;
  /** Names of models there that may have been meant, `<provider>/<model>`, the most likely first. */
  readonly near: readonly string[];
}
