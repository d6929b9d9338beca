import type { Holder } from "../../base/process-identity.ts";
import type { LeaseStore } from "../work-stores.ts";
import type { Context } from "./connection.ts";

interface LeaseRow {
  readonly holder_id: string;
  readonly holder: string;
  readonly lease_until: number;
}

/** Whether a lease still counts: its time is not up, and its holder's process is not known to be gone. */
export function isLive(
  { clock, probe }: Context,
  lease: { readonly holder: string | null; readonly lease_until: number | null },
): boolean {
  if (lease.holder === null || lease.lease_until === null || lease.lease_until <= clock.now()) return false;
  return probe.fate(JSON.parse(lease.holder) as Holder) !== "gone";
}

/** The live lease of that name; for use inside a transaction. */
export function leaseOf(context: Context, name: string): LeaseRow | null {
  const lease = context.db.get<LeaseRow>("SELECT holder_id, holder, lease_until FROM leases WHERE name = ?", name);
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
          `INSERT INTO leases (name, holder_id, holder, lease_until) VALUES (?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE
           SET holder_id = excluded.holder_id, holder = excluded.holder, lease_until = excluded.lease_until`,
          name,
          holder.id,
          JSON.stringify(holder),
          clock.now() + leaseMs,
        );
        return true;
      }),

    release: (name, holder) =>
      db.write(() => {
        db.run("DELETE FROM leases WHERE name = ? AND holder_id = ?", name, holder.id);
      }),
  };
}
