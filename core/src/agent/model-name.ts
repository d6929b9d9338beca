import { HermesError } from "../base/errors.ts";

/** `<provider>/<model>`; the model's own name may hold slashes of its own. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** Throws AGENT_MODEL_INVALID. */
export function parseModelName(name: string): ModelName {
  const [, provider, model] = /^([^\s/]+)\/(\S+)$/.exec(name) ?? [];
  if (provider === undefined || model === undefined) {
    throw new HermesError("AGENT_MODEL_INVALID", { model: JSON.stringify(name) });
  }
  return { provider, model };
}
