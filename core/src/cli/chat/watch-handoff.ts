import { followHandoff } from "../../handoff/follow-handoff.ts";
import { handoffInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { stepLine } from "../handoff/show-steps.ts";

/**
 * Shows the steps of a handoff that somebody asked for elsewhere, until it has ended. `signal` only lets go of it: it goes
 * on by itself.
 */
export async function watchHandoff(
  output: Output,
  { store, clock }: Host,
  sessionId: SessionId,
  signal: AbortSignal,
): Promise<void> {
  const handoff = await handoffInFlight(store, sessionId);
  if (handoff === null) return;
  output.note("This session is being handed off; what you write waits until that is over.");
  const claimWithinMs = handoff.expiresAt - handoff.requestedAt;
  for await (const progress of followHandoff({ store, clock }, handoff.id, { claimWithinMs, signal })) {
    if ("waiting" in progress || progress.step === "running") continue;
    output.line(stepLine(output, progress.step, progress.at - handoff.requestedAt));
  }
}
