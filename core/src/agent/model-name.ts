import { HermesError } from "../base/errors.ts";

/** `<provider>/<model>`; the model part may contain slashes. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** Splits a model's name at its first slash. Throws AGENT_MODEL_INVALID. */
export function parseModelName(name: string): ModelName {
  const [, provider, model] = /^([^\s/]+)\/(\S+)$/.exec(name) ?? [];
  if (provider === undefined || model === undefined) {
    throw new HermesError("AGENT_MODEL_INVALID", { model: JSON.stringify(name) });
  }
  return { provider, model };
}
