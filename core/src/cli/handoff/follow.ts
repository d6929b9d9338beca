import { HermesError } from "../../base/errors.ts";
import { ageText } from "../../base/text.ts";
import { followHandoff } from "../../handoff/follow-handoff.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff } from "../../model/handoff.ts";
import type { Output } from "../../terminal/output.ts";
import { createStatusLine } from "../../terminal/status-line.ts";
import { stepLine } from "./show-steps.ts";

/**
 * Shows each step of a handoff as it happens, until it has ended. Returns it as it is then; still `running` where
 * `signal` let go of it. Throws HANDOFF_CANCELLED when the signal came before a gateway took it, HANDOFF_NOT_CLAIMED and
 * HANDOFF_NOT_FINISHED.
 */
export async function followOnTerminal(
  output: Output,
  { store, clock }: Pick<Host, "store" | "clock">,
  handoff: Handoff,
  options: { readonly claimWithinMs: number; readonly signal: AbortSignal },
): Promise<Handoff> {
  using status = createStatusLine(output);
  let latest = handoff;
  for await (const progress of followHandoff({ store, clock }, handoff.id, options)) {
    latest = progress.handoff;
    if ("waiting" in progress) {
      status.show(`${waitsFor(latest)} (${ageText(clock.now() - latest.requestedAt)})`);
      continue;
    }
    status.clear();
    if (progress.step !== "running") output.line(stepLine(output, progress.step, progress.at - latest.requestedAt));
  }
  if (!options.signal.aborted) return latest;
  if (await store.handoffs.cancelHandoff(handoff.id)) throw new HermesError("HANDOFF_CANCELLED", {});
  return (await store.handoffs.get(handoff.id)) ?? latest;
}

function waitsFor({ step, platform, waitsForTurn }: Handoff): string {
  if (waitsForTurn) return "it moves at the next step of the turn that runs";
  switch (step) {
    case null:
      return "waiting for the gateway";
    case "claimed":
      return `opening a place on ${platform}`;
    case "bound":
      return "the agent is answering";
    default:
      return "under way";
  }
}
