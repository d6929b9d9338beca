import { deserialize, serialize } from "node:v8";
import type Database from "better-sqlite3";

/** How a database of IndexedDB is built. */
export interface DatabaseShape {
  readonly version: number;
  readonly stores: readonly StoreShape[];
}

export interface StoreShape {
  readonly name: string;
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: string | string[];
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }[];
}

export interface CryptoRecord {
  readonly store: string;
  readonly key: unknown;
  readonly value: unknown;
}

/** A change of one transaction, in the order of its making. */
export type RecordChange =
  | ({ readonly kind: "put" } & CryptoRecord)
  | { readonly kind: "delete"; readonly store: string; readonly key: unknown }
  | { readonly kind: "clear"; readonly store: string };

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS crypto_shapes (name TEXT PRIMARY KEY, shape TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS crypto_records (
    name TEXT NOT NULL, store TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (name, store, key)
  ) STRICT, WITHOUT ROWID;
`;

/** The databases in which the encryption library keeps its keys, record by record. */
export class CryptoRecords {
  readonly #database: Database.Database;
  readonly #atomically: (work: () => void) => void;

  /** `atomically` does all of its work or nothing. */
  constructor(database: Database.Database, atomically: (work: () => void) => void) {
    this.#database = database;
    this.#atomically = atomically;
    database.exec(SCHEMA);
  }

  shapes(): Map<string, DatabaseShape> {
    const rows = this.#database
      .prepare<[], { name: string; shape: string }>("SELECT name, shape FROM crypto_shapes")
      .all();
    return new Map(rows.map(({ name, shape }) => [name, JSON.parse(shape) as DatabaseShape]));
  }

  records(name: string): CryptoRecord[] {
    const rows = this.#database
      .prepare<[string], { store: string; key: Buffer; value: Buffer }>(
        "SELECT store, key, value FROM crypto_records WHERE name = ?",
      )
      .all(name);
    return rows.map(({ store, key, value }) => ({ store, key: deserialize(key), value: deserialize(value) }));
  }

  /** Replaces all of a database. */
  replace(name: string, shape: DatabaseShape, records: readonly CryptoRecord[]): void {
    this.#atomically(() => {
      this.#database
        .prepare(
          "INSERT INTO crypto_shapes (name, shape) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET shape = excluded.shape",
        )
        .run(name, JSON.stringify(shape));
      this.#database.prepare("DELETE FROM crypto_records WHERE name = ?").run(name);
      for (const record of records) this.#put(name, record);
    });
  }

  /** Writes what a transaction has changed, all of it or nothing. */
  apply(name: string, changes: readonly RecordChange[]): void {
    this.#atomically(() => {
      for (const change of changes) {
        if (change.kind === "put") this.#put(name, change);
        else if (change.kind === "clear") {
          this.#database.prepare("DELETE FROM crypto_records WHERE name = ? AND store = ?").run(name, change.store);
        } else {
          this.#database
            .prepare("DELETE FROM crypto_records WHERE name = ? AND store = ? AND key = ?")
            .run(name, change.store, serialize(change.key));
        }
      }
    });
  }

  clear(): void {
    this.#atomically(() => this.#database.exec("DELETE FROM crypto_shapes; DELETE FROM crypto_records;"));
  }

  #put(name: string, { store, key, value }: CryptoRecord): void {
    this.#database
      .prepare(
        "INSERT INTO crypto_records (name, store, key, value) VALUES (?, ?, ?, ?) " +
          "ON CONFLICT (name, store, key) DO UPDATE SET value = excluded.value",
      )
      .run(name, store, serialize(key), serialize(value));
  }
}
