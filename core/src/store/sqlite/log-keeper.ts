import { statSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Connection } from "./connection.ts";

/** The longest write-ahead log that stays, in bytes. */
export const LOG_LIMIT = 64 * 1024 * 1024;

/** How long it is left alone after an attempt to make it shorter, in milliseconds. */
const PAUSE_MS = 5_000;

/**
 * Keeps the write-ahead log short. It grows as long as somebody reads from an old state of the file, and SQLite makes it
 * shorter only when somebody writes afterwards; so every process that watches the file looks at it now and then.
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
    if (now < this.#nextAt || (statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0) <= LOG_LIMIT) return;
    this.#nextAt = now + PAUSE_MS;
    try {
      this.#db.emptyLog();
    } catch {
      // Somebody else is at it, the disk is full, the file is gone: who writes learns of it, and the next look tries again.
    }
  }
}
