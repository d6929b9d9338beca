import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { askedText } from "../model/approval-text.ts";
import { busyError, inFlightError } from "../model/refusals.ts";
import type { SessionId } from "../model/session.ts";
import type { StartTurnResult } from "../model/turn.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";

/** Why a session cannot be compacted now: whose turn is in the way. */
export async function whyNotCompacted(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  sessionId: SessionId,
  refused: Extract<StartTurnResult, { readonly ok: false }>,
): Promise<HermesError> {
  switch (refused.reason) {
    case "waiting": {
      const [first] = await store.approvals.open(sessionId);
      const what = first === undefined ? " to go on" : ` for an answer to “${askedText(first)}” (code ${first.code})`;
      return new HermesError("COMPACTION_TURN_WAITS", { what });
    }
    case "busy": {
      const place = await lookUpPlace(store, refused.turn.surface);
      return busyError({ place, since: refused.turn.startedAt }, clock.now());
    }
    case "handoff": {
      const handoff = await store.handoffs.get(refused.handoffId);
      if (handoff !== null) return inFlightError(handoff, clock.now());
      return new HermesError("COMPACTION_TURN_WAITS", { what: " for a handoff" });
    }
    default:
      return new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  }
}
