import { hostname } from "node:os";
import { bootId, once, readOrNull } from "./boot-id.ts";

/** A process that holds a lease. */
export interface Holder {
  /** Unique for each start of a process. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** When the process started, in whatever unit the system has; with the pid it names one process for good. */
  readonly pidStart: string;
  /** What a person calls it: `terminal` or `gateway`. */
  readonly role: "terminal" | "gateway";
}

/** Tells whether a holder's process is still there. `unknown` for another host. */
export interface ProcessProbe {
  fate(holder: Holder): "alive" | "gone" | "unknown";
  /** Whether it is there and was stopped, as by Ctrl-Z. Missing where nobody can tell. */
  isStopped?(holder: Holder): boolean;
}

/** This process as a holder. */
export function thisProcess(id: string, role: Holder["role"]): Holder {
  return { id, host: thisHost(), pid: process.pid, pidStart: ownStart(), role };
}

/** Looks at the process table of this machine. */
export const systemProcessProbe: ProcessProbe = {
  fate(holder) {
    if (holder.host !== thisHost()) return "unknown";
    // Asked before each message that is sent: what cannot have changed is not read again.
    if (holder.pid === process.pid) return holder.pidStart === ownStart() ? "alive" : "gone";
    if (!exists(holder.pid)) return "gone";
    const start = startOf(holder.pid);
    // A pid is used again after a while (and is 1 in every container): the start time tells the two apart.
    return start === null || start === holder.pidStart ? "alive" : "gone";
  },
  isStopped(holder) {
    return this.fate(holder) === "alive" && /^[Tt]$/.test(statOf(holder.pid)?.[0] ?? "");
  },
};

/** The machine and its boot, so that a restored disk or a second container is not taken for this one. */
const thisHost = once(() => `${hostname()}/${bootId() ?? ""}`);

const ownStart = once(() => startOf(process.pid) ?? "");

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Field 22 of /proc/<pid>/stat; null where there is no /proc. */
function startOf(pid: number): string | null {
  const fields = statOf(pid);
  if (fields === null) return null;
  // A zombie holds nothing any more.
  if (fields[0] === "Z") return "zombie";
  return fields[19] ?? null;
}

/** The fields of /proc/<pid>/stat from the third on: what stands behind the command's closing bracket. */
function statOf(pid: number): string[] | null {
  return (
    readOrNull(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, "")
      .split(" ") ?? null
  );
}
