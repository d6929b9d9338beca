import type Database from "better-sqlite3";

/** Numbers the changes of the file, and notifies the event streams of each. */
export class Changes {
  readonly #listeners = new Set<() => void>();
  readonly #transaction: Database.Transaction<(work: () => unknown) => unknown>;
  readonly #next: Database.Statement<[], { value: number }>;
  readonly #latest: Database.Statement<[], { value: number }>;

  readonly #count: Database.Statement<[number, number], { value: number }>;

  constructor(db: Database.Database) {
    this.#transaction = db.transaction((work: () => unknown) => work());
    this.#next = db.prepare("UPDATE counter SET value = value + 1 RETURNING value");
    this.#count = db.prepare(
      `SELECT (SELECT count(*) FROM messages WHERE change > ?) + (SELECT count(*) FROM threads WHERE change > ?) AS value`,
    );
    this.#latest = db.prepare("SELECT value FROM counter");
  }

  /** Runs `work` in one transaction, then notifies the listeners. */
  write<T>(work: () => T): T {
    const result = this.#transaction.immediate(work) as T;
    for (const listener of this.#listeners) listener();
    return result;
  }

  /** Returns the number for a change; only inside {@link write}. */
  next(): number {
    return numberIn(this.#next.get());
  }

  latest(): number {
    return numberIn(this.#latest.get());
  }

  /** Counts the rows that changed after `change`. */
  countAfter(change: number): number {
    return numberIn(this.#count.get(change, change));
  }

  listen(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }
}

function numberIn(row: { value: number } | undefined): number {
  if (!row) throw new Error("the counter of changes is missing");
  return row.value;
}
