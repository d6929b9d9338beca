import { existsSync, readdirSync } from "node:fs";
import { readOrNull } from "../../base/boot-id.ts";
import { type Clock, sleep } from "../../base/clock.ts";

/** The variable by which what a call started is found again, wherever it went. */
export const CALL_VARIABLE = "HERMES_CALL";

const POLL_MS = 20;
/** How long processes that were killed take to be gone, at the most. */
const KILLED_WITHIN_MS = 2000;

/**
 * The processes of one call: those of its process group and, on Linux, those that left the group and still have the call's
 * variable. Who leaves the group and drops the variable, or leaves it on another system, is not found.
 */
export class CallProcesses {
  readonly #group: number;
  readonly #id: string;

  constructor(group: number, id: string) {
    this.#group = group;
    this.#id = id;
  }

  /** Ends all of them: SIGTERM, and SIGKILL for those that still run after `graceMs`. Resolves to whether there were any. */
  async end(clock: Clock, graceMs: number): Promise<boolean> {
    if (!this.#signal("SIGTERM")) return false;
    if (await this.#isGoneWithin(clock, graceMs)) return true;
    // More than once: they may start others meanwhile.
    for (let waited = 0; waited < KILLED_WITHIN_MS && this.#signal("SIGKILL"); waited += POLL_MS) {
      await sleep(clock, POLL_MS);
    }
    return true;
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
    if (!existsSync("/proc/self/stat")) return send(-this.#group, signal);
    const found = this.#running();
    // The whole group at once, so that none of it can start another in between.
    if (signal !== 0 && found.some(({ isInGroup }) => isInGroup)) send(-this.#group, signal);
    if (signal !== 0) for (const { pid, isInGroup } of found) if (!isInGroup) send(pid, signal);
    return found.length > 0;
  }

  #running(): { readonly pid: number; readonly isInGroup: boolean }[] {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      const [state, , group] =
        readOrNull(`/proc/${name}/stat`)
          ?.replace(/^.*\) /s, "")
          .split(" ") ?? [];
      // A zombie has ended; nobody has asked how, yet.
      if (state === undefined || state === "Z" || state === "X") return [];
      const isInGroup = group === String(this.#group);
      return isInGroup || this.#hasVariable(name) ? [{ pid: Number(name), isInGroup }] : [];
    });
  }

  #hasVariable(pid: string): boolean {
    const variables = readOrNull(`/proc/${pid}/environ`);
    return variables?.split("\0").includes(`${CALL_VARIABLE}=${this.#id}`) ?? false;
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
