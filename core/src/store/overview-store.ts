import type { HeldLease } from "../model/held-lease.ts";
import type { Lane } from "../model/lane.ts";

/** Reads what people want to see of all that is going on. Writes nothing. */
export interface OverviewStore {
  /** The conversations in which messages wait, those that have waited longest first, and how many there are. */
  lanes(page: { readonly limit: number; readonly offset?: number }): Promise<{
    readonly lanes: readonly Lane[];
    readonly total: number;
  }>;
  /** All leases: of accounts, turns, handoffs, views and typed lines. Those that nobody keeps any more come last. */
  leases(): Promise<HeldLease[]>;
}
