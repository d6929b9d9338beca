import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";

/**
 * The id of this machine's boot: the same in all its processes, and a new one after each restart. Null on a system that
 * has no such id.
 */
export const bootId = once(() => {
  if (process.platform === "linux") return readOrNull("/proc/sys/kernel/random/boot_id")?.trim() || null;
  if (process.platform === "darwin") return sysctl("kern.bootsessionuuid");
  return null;
});

/**
 * The id of the clock that `process.hrtime` reads. A container may have its own, with an offset from the machine's clock
 * (a "time namespace"). Null as in {@link bootId}.
 */
export const steadyClockId = once(() => {
  const boot = bootId();
  if (boot === null || process.platform !== "linux") return boot;
  const namespace = linkOrNull("/proc/self/ns/time");
  return namespace === null || namespace === MACHINES_TIME ? boot : `${boot} ${namespace}`;
});

/** The machine's initial time namespace (PROC_TIME_INIT_INO). */
const MACHINES_TIME = `time:[${0xeffffffa}]`;

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function sysctl(name: string): string | null {
  try {
    return execFileSync("/usr/sbin/sysctl", ["-n", name], { encoding: "utf8", stdio: "pipe" }).trim() || null;
  } catch {
    return null;
  }
}

export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Memoizes `look`: it is called once, the first time. */
export function once<T>(look: () => T): () => T {
  let seen: { readonly value: T } | null = null;
  return () => {
    seen ??= { value: look() };
    return seen.value;
  };
}
