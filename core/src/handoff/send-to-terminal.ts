import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { shellWord } from "../base/shell-word.ts";
import type { Handoff } from "../model/handoff.ts";
import { inFlightError } from "../model/refusals.ts";
import type { Session, Surface } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { placeLeftText } from "./place-left.ts";

/**
 * Hands a session to the terminal: whichever terminal opens it first has it. With `tells`, the place that it leaves is told
 * in the same step. Throws HANDOFF_IN_FLIGHT and HANDOFF_IN_TERMINAL.
 */
export async function sendToTerminal(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { id: sessionId, title, lastSurface }: Session,
  { from, tells }: { readonly from?: Surface; readonly tells: boolean },
): Promise<Handoff> {
  const latest = await store.handoffs.latestOf(sessionId);
  if (lastSurface === "terminal" && (await store.turns.running(sessionId)) === null) {
    // Asked for again, by a gateway that died before it could say so.
    if (latest?.to.kind === "terminal") return latest;
    throw new HermesError("HANDOFF_IN_TERMINAL", { reference: shellWord(title ?? sessionId) });
  }
  const left = !tells || lastSurface === "terminal" ? null : await store.bindings.get(lastSurface);
  const message = { kind: "notice", markdown: placeLeftText(title, "in the terminal", null) } as const;
  const result = await store.handoffs.toTerminal({
    sessionId,
    from,
    left: left?.sessionId === sessionId ? { ...left, message, sessionId } : undefined,
  });
  if (result.ok) return result.handoff;
  if (result.reason === "in_flight") throw inFlightError(result.handoff, clock.now());
  throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
}
