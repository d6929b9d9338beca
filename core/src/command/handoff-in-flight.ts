import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { ageText } from "../base/text.ts";
import type { Handoff } from "../session/handoff.ts";
import type { SessionId } from "../session/session.ts";
import type { Store } from "../session/store.ts";

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
}

/** The session's handoff that has not ended, or null. */
export async function handoffInFlight(store: Store, sessionId: SessionId): Promise<Handoff | null> {
  const handoff = await store.handoffs.getHandoffState(sessionId);
  return handoff?.state === "pending" || handoff?.state === "running" ? handoff : null;
}

/** Throws HANDOFF_IN_FLIGHT while the session is being handed off: it is on its way and cannot be gone on with. */
export async function refuseWhileInFlight({ store, clock }: Parts, sessionId: SessionId): Promise<void> {
  const handoff = await handoffInFlight(store, sessionId);
  if (handoff === null) return;
  throw new HermesError("HANDOFF_IN_FLIGHT", {
    platform: handoff.platform,
    age: ageText(clock.now() - handoff.requestedAt),
    handoffId: handoff.id,
  });
}
