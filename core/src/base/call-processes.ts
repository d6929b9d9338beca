import { existsSync, readdirSync } from "node:fs";
import { readOrNull } from "./boot-id.ts";
import { type Clock, sleep } from "./clock.ts";
import { isOfThisBoot, type ProcessIdentity, processOf, systemProcessProbe } from "./process-identity.ts";

/**
 * The variable by which what a call started is found again, wherever it went: its value is the id of the call's
 * process.
 */
export const CALL_VARIABLE = "HERMES_CALL";

const POLL_MS = 20;
/** How long processes that were killed take to be gone, at the most. */
const KILLED_WITHIN_MS = 2000;

/**
 * The processes of one call: those of its process group and, on Linux, those that left the group and still have the call's
 * variable. Who leaves the group and drops the variable, or leaves it on another system, is not found.
 */
export class CallProcesses {
  readonly #first: ProcessIdentity;
  readonly #isOwn: boolean;

  /**
   * `first` leads the group. `isOwn`: this process started it, so that the group is the call's even when its leader has
   * ended. Otherwise the number may have passed to somebody else's group by then.
   */
  constructor(first: ProcessIdentity, { isOwn }: { readonly isOwn: boolean }) {
    this.#first = first;
    this.#isOwn = isOwn;
  }

  /**
   * Ends all of them: SIGTERM, and SIGKILL for those that still run after `graceMs`. Resolves to whether there were
   * any.
   */
  async end(clock: Clock, graceMs: number): Promise<boolean> {
    if (!this.#signal("SIGTERM")) return false;
    if (await this.#isGoneWithin(clock, graceMs)) return true;
    // More than once: they may start others meanwhile.
    for (let waited = 0; waited < KILLED_WITHIN_MS && this.kill(); waited += POLL_MS) await sleep(clock, POLL_MS);
    return true;
  }

  /** Sends SIGKILL to all of them, without waiting. Returns whether there were any. */
  kill(): boolean {
    return this.#signal("SIGKILL");
  }

  async #isGoneWithin(clock: Clock, ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms; waited += POLL_MS) {
      if (!this.#signal(0)) return true;
      await sleep(clock, POLL_MS);
    }
    return !this.#signal(0);
  }

  /** Sends the signal to all of them, or looks for them with 0. Returns whether there were any. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    const { pid: group } = this.#first;
    if (!existsSync("/proc/self/stat")) return (this.#isOwn || this.#isLedByFirst()) && send(-group, signal);
    const found = this.#running();
    // The whole group at once, so that none of it can start another in between.
    if (signal !== 0 && found.some(({ isInGroup }) => isInGroup)) send(-group, signal);
    if (signal !== 0) for (const { pid, isInGroup } of found) if (!isInGroup) send(pid, signal);
    return found.length > 0;
  }

  #isLedByFirst(): boolean {
    const { id, pid, pidStart } = this.#first;
    return pidStart !== "" && processOf(id, pid).pidStart === pidStart;
  }

  #running(): { readonly pid: number; readonly isInGroup: boolean }[] {
    const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processAt(name) ?? []) : []));
    const leader = all.find(({ pid }) => pid === this.#first.pid);
    const isGroupOurs = this.#isOwn || leader?.start === this.#first.pidStart;
    return all.flatMap(({ pid, state, group }) => {
      // A zombie has ended; nobody has asked how, yet.
      if (state === "Z" || state === "X") return [];
      const isInGroup = isGroupOurs && group === this.#first.pid;
      return isInGroup || hasVariable(pid, this.#first.id) ? [{ pid, isInGroup }] : [];
    });
  }
}

/** Kills the processes that it holds when this process exits. */
export class KilledAtExit {
  readonly #held = new Set<CallProcesses>();
  readonly #kill = () => {
    for (const processes of this.#held) processes.kill();
  };

  /** Holds processes until what it returns is disposed of. */
  hold(processes: CallProcesses): Disposable {
    if (this.#held.size === 0) process.on("exit", this.#kill);
    this.#held.add(processes);
    return {
      [Symbol.dispose]: () => {
        this.#held.delete(processes);
        if (this.#held.size === 0) process.off("exit", this.#kill);
      },
    };
  }
}

/**
 * Ends what an earlier process' call left running on this machine. Resolves to whether it has ended: false when it
 * belongs to another machine, or withstands.
 */
export async function endLeftProcess(left: ProcessIdentity, clock: Clock, graceMs: number): Promise<boolean> {
  if (systemProcessProbe.fate(left) === "unknown") return false;
  // An earlier boot is over with all its processes; pids and start times come again.
  if (!isOfThisBoot(left)) return true;
  const processes = new CallProcesses(left, { isOwn: false });
  await processes.end(clock, graceMs);
  return !processes.kill();
}

function processAt(name: string) {
  const [state, , group, ...rest] =
    readOrNull(`/proc/${name}/stat`)
      ?.replace(/^.*\) /s, "")
      .split(" ") ?? [];
  return state === undefined ? null : { pid: Number(name), state, group: Number(group), start: rest[16] ?? "" };
}

function hasVariable(pid: number, id: string): boolean {
  return readOrNull(`/proc/${pid}/environ`)?.split("\0").includes(`${CALL_VARIABLE}=${id}`) ?? false;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
