import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { bootId, once, readOrNull } from "./boot-id.ts";

/** One process, told from all others. */
export interface ProcessIdentity {
  /** Unique for each start of a process. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** When the process started, in the system's own unit; with the pid, it identifies one process for good. */
  readonly pidStart: string;
}

/** A process that holds a lease. */
export interface Holder extends ProcessIdentity {
  /** The name that people read. */
  readonly role: "terminal" | "gateway";
}

/** The name of the machine that a holder's process runs on, as people know it. */
export function machineOf({ host }: Pick<Holder, "host">): string {
  return host.split("/", 1)[0] ?? host;
}

/** Checks whether a holder's process still runs. */
export interface ProcessProbe {
  /** `gone` for a process of an earlier boot, `unknown` for one of another host. */
  fate(holder: ProcessIdentity): "alive" | "gone" | "unknown";
  /** Whether the process is alive but suspended, as by Ctrl-Z. Missing where that cannot be found out. */
  isStopped?(holder: ProcessIdentity): boolean;
}

/** This process as a holder. */
export function thisProcess(id: string, role: Holder["role"]): Holder {
  return { id, host: thisHost(), pid: process.pid, pidStart: ownStart(), role };
}

/** Another process of this machine. `pidStart` is empty where its start cannot be found out. */
export function processOf(id: string, pid: number): ProcessIdentity {
  return { id, host: thisHost(), pid, pidStart: startOf(pid) ?? startByPs(pid) };
}

/** Whether a process belongs to this machine and its present boot. */
export function isOfThisBoot({ host }: ProcessIdentity): boolean {
  return host === thisHost();
}

/** Reads this machine's process table. */
export const systemProcessProbe: ProcessProbe = {
  fate(holder) {
    if (holder.host !== thisHost()) return isOfAnotherBoot(holder.host) ? "gone" : "unknown";
    // A shortcut, since this runs before each message is sent: a process' own start time does not change.
    if (holder.pid === process.pid) return holder.pidStart === ownStart() ? "alive" : "gone";
    if (!exists(holder.pid)) return "gone";
    const start = startOf(holder.pid);
    // A pid is reused after a while (and is 1 in every container): the start time tells two processes apart.
    return start === null || start === holder.pidStart ? "alive" : "gone";
  },
  isStopped(holder) {
    return this.fate(holder) === "alive" && /^[Tt]$/.test(statOf(holder.pid)?.[0] ?? "");
  },
};

/** The machine and its boot, so that a restored disk or a second container does not count as this one. */
const thisHost = once(() => `${hostname()}/${bootId() ?? ""}`);

/** Whether a host is this machine, by its name, in another boot: one that is over, since no machine runs twice. */
function isOfAnotherBoot(host: string): boolean {
  const [name, boot] = host.split("/");
  const [ownName, ownBoot] = thisHost().split("/");
  return name === ownName && Boolean(boot) && Boolean(ownBoot) && boot !== ownBoot;
}

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
  // A zombie holds no lease any more.
  if (fields[0] === "Z") return "zombie";
  return fields[19] ?? null;
}

/** For a system without /proc: to the second. */
function startByPs(pid: number): string {
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout?.trim() ?? "";
}

/** The fields of /proc/<pid>/stat from the third on, those after the command's closing bracket. */
function statOf(pid: number): string[] | null {
  return (
    readOrNull(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, "")
      .split(" ") ?? null
  );
}
