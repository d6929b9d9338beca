import SqliteDatabase, { type Database } from "better-sqlite3";

/** Milliseconds that a repair waits for other writers. */
const WAIT_MS = 500;

/** Checkpoints and truncates the write-ahead log. False while somebody reads from it. */
export function emptyLog(file: string): boolean {
  return withDatabase(file, (database) => {
    const [state] = database.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return state?.busy === 0;
  });
}

/** Empties the search index; the next process that has the store open indexes every message again. */
export function rebuildIndex(file: string): void {
  withDatabase(file, (database) => {
    database
      .transaction(() => {
        database.prepare("INSERT INTO message_index (message_index) VALUES ('delete-all')").run();
        database.prepare("UPDATE indexed SET up_to = 0").run();
      })
      .immediate();
  });
}

function withDatabase<T>(file: string, work: (database: Database) => T): T {
  const database = new SqliteDatabase(file, { fileMustExist: true, timeout: WAIT_MS });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
