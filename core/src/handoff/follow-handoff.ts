import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { Handoff, HandoffId, HandoffState, HandoffStep } from "../model/handoff.ts";
import { nextChange } from "../store/next-change.ts";
import type { Store } from "../store/store.ts";

export interface FollowOptions {
  /** Milliseconds to wait for a gateway to claim the handoff. */
  readonly claimWithinMs?: number;
  /** Milliseconds to wait for the remaining steps. */
  readonly finishWithinMs?: number;
  readonly signal?: AbortSignal;
}

/** A step that was done, or a sign of life. */
export type HandoffProgress =
  | { readonly step: HandoffStep | HandoffState; readonly at: number; readonly handoff: Handoff }
  | { readonly waiting: true; readonly handoff: Handoff };

/** Milliseconds between two progress reports without a step. */
const SIGN_OF_LIFE_MS = 1_000;

/**
 * Yields each step of a handoff as it is recorded, until it is completed or failed. Waiting never changes the handoff;
 * only the store fails one that was claimed too late.
 * Throws HANDOFF_NOT_CLAIMED and HANDOFF_NOT_FINISHED; ends silently when `signal` aborts.
 */
export async function* followHandoff(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  id: HandoffId,
  { claimWithinMs = 60_000, finishWithinMs = 15 * 60_000, signal }: FollowOptions = {},
): AsyncGenerator<HandoffProgress> {
  let from = clock.now();
  let claimedAt: number | null = null;
  let told = 0;

  while (!signal?.aborted) {
    using change = nextChange(store, clock, signal);
    const handoff = await store.handoffs.get(id);
    if (handoff === null) throw new HermesError("HANDOFF_UNKNOWN", { reference: id });

    for (const { step, at } of handoff.steps.slice(told)) yield { step, at, handoff };
    told = handoff.steps.length;
    if (handoff.state === "completed" || handoff.state === "failed") return;

    const now = clock.now();
    if (handoff.state === "running") claimedAt ??= now;
    // Nobody can claim it before the turn is parked.
    if (handoff.waitsForTurn) from = now;
    if (claimedAt === null && now - from >= claimWithinMs) {
      // The store fails it unless a gateway claims it in this very moment; then it is followed after all.
      if (await store.handoffs.cancelHandoff(id)) {
        throw new HermesError("HANDOFF_NOT_CLAIMED", { seconds: Math.round(claimWithinMs / 1000) });
      }
      continue;
    }
    if (claimedAt !== null && now - claimedAt >= finishWithinMs) {
      throw new HermesError("HANDOFF_NOT_FINISHED", { minutes: Math.round(finishWithinMs / 60_000), handoffId: id });
    }

    const hasChanged = await change.within(SIGN_OF_LIFE_MS);
    if (!hasChanged && !signal?.aborted) yield { waiting: true, handoff };
  }
}
