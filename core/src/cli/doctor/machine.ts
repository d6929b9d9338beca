import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";

/** What the doctor asks the machine for. Tests bring their own. */
export interface Machine {
  /** Without the `v`. */
  readonly nodeVersion: string;
  /** Of the disk that a path lies on. `freeFiles`: null where the file system has no limit of its own. */
  diskOf(path: string): Promise<{ readonly freeBytes: number; readonly freeFiles: number | null }>;
  /** As Linux has it in /proc/mounts; empty elsewhere. */
  mounts(): string;
}

export const systemMachine: Machine = {
  nodeVersion: process.versions.node,
  async diskOf(path) {
    const { bavail, bsize, files, ffree } = await statfs(path);
    return { freeBytes: bavail * bsize, freeFiles: files > 0 ? ffree : null };
  },
  mounts() {
    try {
      return readFileSync("/proc/mounts", "utf8");
    } catch {
      return "";
    }
  },
};
