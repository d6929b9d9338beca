import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { NotMeasurable } from "./measurement.ts";

/** The processor time that a process has used since it began, in milliseconds. Throws NotMeasurable. */
export function cpuTimeMs(pid: number): number {
  // Counted behind the command's closing bracket: utime is field 14, stime 15.
  const stat = readProc(pid, "stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond()) * 1_000;
}

/** The memory of a process that is in RAM now, in MiB. Throws NotMeasurable. */
export function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, "status")) ?? [];
  if (kib === undefined) throw new Error(`/proc/${pid}/status names no VmRSS`);
  return Number(kib) / 1_024;
}

function readProc(pid: number, file: string): string {
  if (!existsSync("/proc/self/stat")) throw new NotMeasurable("this system has no /proc");
  return readFileSync(`/proc/${pid}/${file}`, "utf8");
}

function ticksPerSecond(): number {
  return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
}
