import type { Clock } from "../base/clock.ts";
import { type Handoff, isInFlight } from "../model/handoff.ts";
import { inFlightError } from "../model/refusals.ts";
import type { SessionId } from "../model/session.ts";
import type { Store } from "../store/store.ts";

/** Returns the session's pending or running handoff, or null. */
export async function handoffInFlight(store: Store, sessionId: SessionId): Promise<Handoff | null> {
  const handoff = await store.handoffs.latestOf(sessionId);
  return handoff && isInFlight(handoff) ? handoff : null;
}

/** Throws HANDOFF_IN_FLIGHT while the session is being handed off and cannot be continued. */
export async function refuseWhileInFlight(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  sessionId: SessionId,
): Promise<void> {
  const handoff = await handoffInFlight(store, sessionId);
  if (handoff !== null) throw inFlightError(handoff, clock.now());
}
