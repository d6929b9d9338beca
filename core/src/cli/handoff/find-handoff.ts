import { HermesError } from "../../base/errors.ts";
import type { Handoff, HandoffId } from "../../session/handoff.ts";
import type { Store } from "../../session/store.ts";

/** The handoff of that id. Throws HANDOFF_UNKNOWN. */
export async function findHandoff(store: Store, reference: string): Promise<Handoff> {
  const handoff = await store.handoffs.get(reference as HandoffId);
  if (handoff === null) throw new HermesError("HANDOFF_UNKNOWN", { reference });
  return handoff;
}
