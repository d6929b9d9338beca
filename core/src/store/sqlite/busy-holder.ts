import type { Holder } from "../../base/process-identity.ts";
import type { Context } from "./connection.ts";

/**
 * Which other processes may be holding the file: those that are alive and have a lease, a turn, a handoff or a gateway's
 * row in it. Works while the file is busy: a reader needs no lock that a writer holds.
 */
export function describeHolders({ db, clock, probe }: Context): string {
  try {
    const rows = db.all<{ holder: string }>(
      `SELECT holder FROM gateways
       UNION SELECT holder FROM leases WHERE lease_until > $now
       UNION SELECT holder FROM turns WHERE ended_at IS NULL
       UNION SELECT holder FROM handoffs WHERE state = 'running'`,
      { now: clock.now() },
    );
    const holders = rows
      .map(({ holder }) => JSON.parse(holder) as Holder)
      .filter((holder) => holder.pid !== process.pid && probe.fate(holder) !== "gone");
    // One that was stopped in the middle of a write keeps the file for as long.
    const stopped = holders.filter((holder) => probe.isStopped?.(holder));
    const names =
      stopped.length > 0
        ? stopped.map((holder) => `${nameOf(holder)}, which is stopped (\`kill -CONT ${holder.pid}\` lets it go on)`)
        : holders.map(nameOf);
    return [...new Set(names)].join(" or ") || "another process";
  } catch {
    return "another process";
  }
}

function nameOf({ role, pid }: Holder): string {
  return `the ${role} with process id ${pid}`;
}
