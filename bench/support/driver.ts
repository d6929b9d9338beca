import { createRequire } from "node:module";

/** The little of the SQLite driver that a yardstick needs. */
export interface BareDatabase {
  pragma(text: string): unknown;
  exec(sql: string): unknown;
  prepare(sql: string): { run(...values: readonly (string | number | null)[]): unknown };
  close(): void;
}

/** Opens a file with the very copy of the driver that the store uses, and with nothing of Hermes on top. */
export function openBare(file: string): BareDatabase {
  const fromCore = createRequire(import.meta.resolve("@hermes/core/package.json"));
  const Database = fromCore("better-sqlite3") as new (file: string) => BareDatabase;
  return new Database(file);
}
