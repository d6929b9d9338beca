import { listModels } from "../../agent/list-models.ts";
import type { ListedModel } from "../../agent/listed-model.ts";
import type { ProviderAccess } from "../../agent/provider-access.ts";
import { runWithin } from "../../base/deadline.ts";
import { HermesError } from "../../base/errors.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import type { Init } from "./draft.ts";

/** How long a provider may take to answer, in milliseconds. */
export const ANSWERS_WITHIN_MS = 15_000;

/** The models that a server lists; null where it has no list. Throws why it does not answer. */
export async function listWithin(
  { context, clock, signal }: Init,
  access: ProviderAccess,
): Promise<readonly ListedModel[] | null> {
  using spinner = createSpinner(context.output, clock);
  spinner.spin(`asking ${access.provider}`);
  const list = (limited: AbortSignal) => listModels(access, limited);
  return (await runWithin(clock, ANSWERS_WITHIN_MS, signal, list, noAnswer(access.provider))).models;
}

export function noAnswer(provider: string): HermesError {
  const reason = `it did not answer within ${ANSWERS_WITHIN_MS / 1000} s`;
  return new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason });
}
