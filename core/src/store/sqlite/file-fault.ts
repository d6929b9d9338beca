import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { HermesError, isNoRoom, reasonOf } from "../../base/errors.ts";
import { isBusy } from "./busy.ts";

/** With less than this free, in bytes, the side files of a database find no room. */
const LEAST_ROOM = 64 * 1024;

/** Runs what reads or opens a store's file. Throws STORE_FULL, STORE_UNREADABLE, and an error of a busy file as it is. */
export function readably<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HermesError || isBusy(error)) throw error;
    throw fileFault(error, file);
  }
}

/** Converts an error of the driver or the system about a store's file. */
export function fileFault(error: unknown, file: string): HermesError {
  if (isDiskFull(error, file)) return new HermesError("STORE_FULL", { file }, { cause: error });
  return new HermesError("STORE_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
}

/** Whether the disk of `file` is full. SQLite calls that an I/O error where it finds no room for a side file. */
export function isDiskFull(error: unknown, file: string): boolean {
  if (codeOf(error) === "SQLITE_FULL" || isNoRoom(error)) return true;
  return codeOf(error).startsWith("SQLITE_IOERR") && roomOf(dirname(file)) < LEAST_ROOM;
}

/** Whether an error of the driver is about the file itself. */
export function isOfFile(error: unknown): boolean {
  return /^SQLITE_(?:FULL|READONLY|IOERR|CORRUPT|NOTADB|CANTOPEN)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown } | null)?.code);
}

function roomOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
