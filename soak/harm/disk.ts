import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "../ledger/ledger.ts";

/** The size of the disk that Hermes' home lies on where one can be mounted, in MiB. */
const SIZE_MIB = 384;

/** A disk that can be full: one of its own where this process may mount it, else a limit on how long files may be. */
export interface Disk {
  /** What is not tried, where something cannot be; null where all is. */
  readonly leftOut: string | null;
  fill(forMs: number): Promise<void>;
  [Symbol.dispose](): void;
}

/** `pids`: the gateways that run just now. */
export function mountDisk(home: string, ledger: Ledger, pids: () => readonly number[]): Disk {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    const options = `size=${SIZE_MIB}m,mode=0700`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "hermes-soak", home], { stdio: "ignore" });
    return ownDisk(home, ledger);
  } catch {
    return limitedFiles(ledger, pids);
  }
}

function ownDisk(home: string, ledger: Ledger): Disk {
  const filler = join(home, "filler");
  return {
    leftOut: null,
    async fill(forMs) {
      const file = openSync(filler, "w");
      try {
        for (const size of [1 << 20, 1 << 12, 1]) writeUntilFull(file, Buffer.alloc(size));
        ledger.note(`the disk is full for ${forMs} ms`);
        await pause(forMs);
      } finally {
        closeSync(file);
        rmSync(filler, { force: true });
        ledger.note("the disk has room again");
      }
    },
    [Symbol.dispose]() {
      execFileSync("umount", ["--lazy", home], { stdio: "ignore" });
    },
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length) {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

/** The store meets an error of writing then, though another one (EFBIG) than that of a full disk. */
function limitedFiles(ledger: Ledger, pids: () => readonly number[]): Disk {
  const limit = (pid: number, to: string) => {
    try {
      execFileSync("prlimit", ["--pid", String(pid), `--fsize=${to}:`], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  return {
    leftOut:
      "a full disk: nothing may be mounted here. Instead, no file of the gateways may grow for a while, which SQLite " +
      "reports as an error of the disk",
    async fill(forMs) {
      const limited = pids().filter((pid) => limit(pid, "4096"));
      ledger.note(`no file of ${limited.length} gateways may grow for ${forMs} ms`);
      await pause(forMs);
      for (const pid of limited) limit(pid, "unlimited");
      ledger.note("files may grow again");
    },
    [Symbol.dispose]() {},
  };
}
