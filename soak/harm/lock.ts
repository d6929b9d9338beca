import { setTimeout as pause } from "node:timers/promises";
import type { Ledger } from "../ledger/ledger.ts";
import type { StoreFile } from "../store-file.ts";

/** How often the lock is asked for: whoever writes has it for milliseconds. */
const TRIES = 500;

/** Holds the store's write lock for a while, as a backup or a person with `sqlite3` does. */
export async function holdLock(file: StoreFile, ledger: Ledger, forMs: number): Promise<void> {
  const database = file.openForWriting();
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        database.exec("BEGIN IMMEDIATE");
        ledger.note(`another program holds the store's write lock for ${forMs} ms`);
        await pause(forMs);
        database.exec("ROLLBACK");
        ledger.note("the store's write lock is free again");
        return;
      } catch {
        await pause(3);
      }
    }
    ledger.note("the store's write lock was not to be had");
  } finally {
    database.close();
  }
}
