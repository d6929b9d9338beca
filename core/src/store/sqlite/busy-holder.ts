import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Holder } from "../../base/process-identity.ts";
import type { Context } from "./connection.ts";
import { since } from "./expiry.ts";
import type { LeaseEnd } from "./leases.ts";

/**
 * Names the processes that may have locked `file`: a Hermes process that was suspended in the middle of a write; or else
 * a foreign program that has the file open; or else live Hermes processes with a lease, a turn, a handoff or a gateway
 * row in it. Works while the file is busy: a reader needs no lock that a writer holds.
 */
export function describeHolders({ db, clock, probe }: Context, file: string): string {
  try {
    const rows = db.all<{ holder: string }>(
      `SELECT holder FROM gateways
       UNION SELECT holder FROM turns WHERE ended_at IS NULL AND state = 'running'
       UNION SELECT holder FROM handoffs WHERE state IN ('pending', 'running') AND state = 'running'`,
    );
    const leases = db.all<{ holder: string } & LeaseEnd>("SELECT holder, lease_until, lease_steady FROM leases");
    const live = leases.filter((lease) => since(clock, lease.lease_until, lease.lease_steady) < 0);
    const holders = [...rows, ...live]
      .map(({ holder }) => JSON.parse(holder) as Holder)
      .filter((holder) => holder.pid !== process.pid && probe.fate(holder) !== "gone");
    // A process that is suspended in the middle of a write keeps the lock until it continues.
    const stopped = holders.filter((holder) => probe.isStopped?.(holder));
    const strangers = stopped.length > 0 ? [] : programsWith(file).filter(({ name }) => name !== "node");
    const names =
      stopped.length > 0
        ? stopped.map((holder) => `${nameOf(holder)}, which is stopped (\`kill -CONT ${holder.pid}\` resumes it)`)
        : strangers.length > 0
          ? strangers.map(({ name, pid }) => `${name} with process id ${pid}, which is no part of Hermes`)
          : holders.map(nameOf);
    return [...new Set(names)].join(" or ") || "another process";
  } catch {
    return "another process";
  }
}

function nameOf({ role, pid }: Holder): string {
  return `the ${role} with process id ${pid}`;
}

/** The other programs that have a file open. Linux only, and only for processes of the same user. */
function programsWith(file: string): { readonly pid: number; readonly name: string }[] {
  if (process.platform !== "linux") return [];
  const path = realpathSync(file);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const hasIt = readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === path);
      return hasIt ? [{ pid: Number(pid), name: nameOfProgram(pid) }] : [];
    } catch {
      // The process belongs to another user, or has ended meanwhile.
      return [];
    }
  });
}

/** The name that the program was started with: Node changes its name in `comm`. */
function nameOfProgram(pid: string): string {
  const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return basename(program);
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
