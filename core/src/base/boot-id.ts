import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Names this machine's boot: every process of it reads the same, and after the next start another. Null on a system
 * that has no such name.
 */
export const bootId = once(() => {
  if (process.platform === "linux") return readOrNull("/proc/sys/kernel/random/boot_id")?.trim() || null;
  if (process.platform === "darwin") return sysctl("kern.bootsessionuuid");
  return null;
});

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

/** `look`, which is called the first time only. */
export function once<T>(look: () => T): () => T {
  let seen: { readonly value: T } | null = null;
  return () => {
    seen ??= { value: look() };
    return seen.value;
  };
}
