import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/clock.ts";
import { regularly } from "../../base/regularly.ts";

/** How often it is looked whether there is memory to return, in milliseconds. */
const LOOK_EVERY_MS = 2_000;

/**
 * A process that used less of a processor since the last look is idle enough: a collection holds up next to nobody. One
 * that has answers to send at the pace of a platform counts as idle, since that may go on for hours.
 */
const IDLE_SHARE = 0.2;

/** With less than this it has nothing at all to do, and nobody waits for it. */
const QUIET_SHARE = 0.02;

/** By how much more than once it had started it may hold. */
const GROWTH = 1.25;

/** What could not be returned is tried for again once it has grown by so much, or has worked for so many microseconds. */
const GROWTH_SINCE = 1.1;
const WORK_SINCE = 500_000;

/** The same once work has ended and it is quiet: what was still in use the last time is garbage by then. */
const WORK_SINCE_QUIET = 100_000;

/** What is asked of a process. */
export interface ProcessMemory {
  /** What it has in RAM, in bytes. */
  resident(): number;
  /** The processor time that it has used, in microseconds. */
  processorTime(): number;
  /** Collects all garbage, and gives what is free back to the system. */
  returnFree(): void;
}

/**
 * Gives memory back to the system after the start, and once work is done. V8 takes three times what a gateway needs
 * while messages pour in, collects the garbage, and keeps the emptied pages for good: flags that would prevent that
 * double the processor time of each message. So it is asked for them back when there is nothing to do, which takes it a
 * tenth of a second.
 */
export function returnMemory(clock: Clock, memory: ProcessMemory = thisProcess()): Disposable {
  /** What it held after the first time, which comes as soon as it has started: that leaves much behind as well. */
  let start: number | null = null;
  /** What it held, and had used of a processor, after the last time. */
  let last = { resident: 0, used: 0 };
  let used = memory.processorTime();
  let hasWorked = false;
  const look = () => {
    const now = memory.processorTime();
    const share = (now - used) / (LOOK_EVERY_MS * 1_000);
    hasWorked ||= share >= QUIET_SHARE;
    const isOver = hasWorked && share < QUIET_SHARE && now > last.used + WORK_SINCE_QUIET;
    const resident = memory.resident();
    const isWorthIt = isOver || resident > last.resident * GROWTH_SINCE || now > last.used + WORK_SINCE;
    if (share < IDLE_SHARE && isWorthIt && resident > (start ?? 0) * GROWTH) {
      memory.returnFree();
      last = { resident: memory.resident(), used: memory.processorTime() };
      start ??= last.resident;
      hasWorked = false;
    }
    used = memory.processorTime();
  };
  return regularly(clock, LOOK_EVERY_MS, look);
}

type Collect = (options: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

function thisProcess(): ProcessMemory {
  let collect: Collect | null = null;
  return {
    resident: () => process.memoryUsage.rss(),
    processorTime() {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    returnFree() {
      if (collect === null) {
        // The way to have the collector without asking everybody to start Node with an option.
        setFlagsFromString("--expose-gc");
        collect = runInNewContext("gc") as Collect;
      }
      // Only the last resort empties the pool of pages as well.
      collect({ type: "major", execution: "sync", flavor: "last-resort" });
    },
  };
}
