import { HermesError } from "../base/errors.ts";
import type { Handoff, HandoffId } from "../model/handoff.ts";
import type { SessionId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { handoffDocument } from "./handoff-document.ts";

/** The handoffs with their steps, newest first: `hermes handoffs --json`. */
export async function handoffsDocument(
  store: Store,
  query: { readonly limit: number; readonly inFlight?: boolean; readonly sessionId?: SessionId },
) {
  const handoffs = await store.handoffs.list(query);
  return { handoffs: await Promise.all(handoffs.map((handoff) => handoffWithSteps(store, handoff))) };
}

/** A handoff with what was done and when: `hermes handoffs show --json`. */
export async function handoffWithSteps(store: Store, handoff: Handoff) {
  const { sessionId, steps, warnings, requestedAt, endedAt, attempt } = handoff;
  const title = (await store.sessions.get(sessionId))?.title ?? null;
  return { ...handoffDocument(handoff), title, attempt, requestedAt, endedAt, steps, warnings };
}

/** Cancels a handoff that waits: `hermes handoffs cancel --json`. Throws HANDOFF_NOT_CANCELLABLE, HANDOFF_ENDED. */
export async function cancelHandoff(store: Store, id: HandoffId) {
  const isCancelled = await store.handoffs.cancelHandoff(id);
  const handoff = await store.handoffs.get(id);
  if (handoff === null) throw new HermesError("HANDOFF_UNKNOWN", { reference: id });
  if (!isCancelled) throw notCancelled(handoff);
  return handoffDocument(handoff);
}

function notCancelled({ id, state }: Handoff): HermesError {
  if (state === "running") return new HermesError("HANDOFF_NOT_CANCELLABLE", { handoffId: id });
  return new HermesError("HANDOFF_ENDED", { handoffId: id, state });
}
