import { statSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";

/** The size in bytes past which the write-ahead log is truncated. */
export const LOG_LIMIT = 64 * 1024 * 1024;

/** Milliseconds between two attempts to truncate it. */
const PAUSE_MS = 5_000;

/**
 * Keeps the write-ahead log short. The log grows as long as somebody reads from an old state of the file, and SQLite
 * truncates it only with a later write; so every process that watches the file checks it now and then.
 */
export class LogKeeper {
  readonly #log: string;
  readonly #db: Connection;
  readonly #clock: Clock;
  #nextAt = 0;

  constructor(file: string, db: Connection, clock: Clock) {
    this.#log = `${file}-wal`;
    this.#db = db;
    this.#clock = clock;
  }

  look(): void {
    const now = this.#clock.now();
    if (now < this.#nextAt) return;
    try {
      if ((statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) <= LOG_LIMIT) return;
      this.#nextAt = now + PAUSE_MS;
      this.#db.emptyLog();
    } catch {
      // Another process does the same, the disk is full or does not answer, or the file is gone: writers get the error,
      // and this tries again.
    }
  }
}
