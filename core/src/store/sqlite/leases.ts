import type { Clock } from "../../base/clock.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { LeaseStore } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";

/** When a lease expires: by wall time, and by the monotonic clock of its holder's boot. */
export interface LeaseEnd {
  readonly lease_until: number;
  readonly lease_steady: string | null;
}

interface LeaseRow extends LeaseEnd {
  readonly holder_id: string;
  readonly holder: string;
}

/** The expiry of a lease that is granted now. */
export function leaseEnd(clock: Clock, leaseMs: number): LeaseEnd {
  return { lease_until: clock.now() + leaseMs, lease_steady: steadyIn(clock, leaseMs) };
}

/** Whether a lease is live: it has not expired, and its holder's process is not known to be gone. */
export function isLive(
  { clock, probe }: Context,
  lease: Pick<LeaseEnd, "lease_steady"> & { readonly holder: string | null; readonly lease_until: number | null },
): boolean {
  if (lease.holder === null || lease.lease_until === null) return false;
  if (since(clock, lease.lease_until, lease.lease_steady) >= 0) return false;
  return probe.fate(JSON.parse(lease.holder) as Holder) !== "gone";
}

/** The live lease with this name; for use inside a transaction. */
export function leaseOf(context: Context, name: string): LeaseRow | null {
  const lease = context.db.get<LeaseRow>(
    "SELECT holder_id, holder, lease_until, lease_steady FROM leases WHERE name = ?",
    name,
  );
  return lease && isLive(context, lease) ? lease : null;
}

export function sqliteLeases(context: Context): LeaseStore {
  const { db, clock } = context;
  return {
    acquire: (name, holder, leaseMs) =>
      db.write(() => {
        const lease = leaseOf(context, name);
        if (lease && lease.holder_id !== holder.id) return false;
        db.run(
          `INSERT INTO leases (name, holder_id, holder, since, lease_until, lease_steady)
           VALUES ($name, $holder_id, $holder, $now, $lease_until, $lease_steady)
           ON CONFLICT (name) DO UPDATE
           SET since = CASE holder_id WHEN excluded.holder_id THEN since ELSE excluded.since END,
             holder_id = excluded.holder_id, holder = excluded.holder,
             lease_until = excluded.lease_until, lease_steady = excluded.lease_steady`,
          {
            ...{ name, holder_id: holder.id, holder: JSON.stringify(holder), now: clock.now() },
            ...leaseEnd(clock, leaseMs),
          },
        );
        return true;
      }),

    release: (name, holder) =>
      db.write(() => {
        db.run("DELETE FROM leases WHERE name = ? AND holder_id = ?", name, holder.id);
      }),
  };
}
