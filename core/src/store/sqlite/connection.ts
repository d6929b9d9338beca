import type { Database, Statement } from "better-sqlite3";
import type { Clock } from "../../base/clock.ts";
import { HermesError, reasonOf } from "../../base/errors.ts";
import type { IdSource } from "../../base/ids.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import { type BusyPolicy, untilFree } from "./busy.ts";
import { WriteQueue } from "./write-queue.ts";

export type SqlValue = string | number | null;
export type SqlValues = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** What every part of the store works with. */
export interface Context {
  readonly db: Connection;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
}

/**
 * One open file. `get`, `all` and `run` are for use inside `read` and `write`: those find the file free, and a `write`
 * is one transaction, of which nothing stays when it throws.
 *
 * Statements that run for every message write a parameter as `+?` where SQLite has a choice of plans. Otherwise it looks
 * at each value that is bound and plans the statement anew, which takes ten times as long as running it.
 */
export class Connection {
  readonly #database: Database;
  readonly #policy: BusyPolicy;
  readonly #statements = new Map<string, Statement<unknown[], unknown>>();
  readonly #inTransaction: (work: () => unknown) => unknown;
  readonly #closing = new AbortController();
  /** Why the file is not to be used any more; null while it is. */
  #lost: HermesError | null = null;
  readonly #writes: WriteQueue;

  /** How many rows this connection had changed after the last transaction; null where that is not known. */
  #counted: number | null = null;

  /** Called after a transaction that changed something. */
  onWrite: () => void = () => {};

  constructor(database: Database, policy: Omit<BusyPolicy, "signal">) {
    this.#database = database;
    this.#policy = { ...policy, signal: this.#closing.signal };
    const transaction = database.transaction((work: () => unknown) => work());
    this.#inTransaction = (work) => transaction.immediate(work);
    this.#writes = new WriteQueue((work) => this.#transact(work), this.#policy);
  }

  get<Row>(sql: string, ...values: SqlValues): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SqlValues): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** How many rows were changed. */
  run(sql: string, ...values: SqlValues): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Throws STORE_BUSY, STORE_CLOSED. */
  async read<T>(work: () => T): Promise<T> {
    return untilFree(() => this.#whileOpen(work), this.#policy.clock.steady().ms, this.#policy);
  }

  /**
   * Runs `work` in a transaction: all of it is stored, or nothing. Writes go in the order of the calls; one counts, for
   * reads too, from when its promise has resolved. Throws STORE_BUSY, STORE_CLOSED, STORE_FULL.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.write(work);
  }

  /** A number that changes whenever another connection has written. */
  dataVersion(): number {
    return this.#whileOpen(() => this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0);
  }

  /** From now on every call throws `error`: what is read and written here is not what others read and write. */
  lose(error: HermesError): void {
    this.#lost ??= error;
  }

  /**
   * Puts what stands in the write-ahead log into the file, and makes the log empty where nobody reads from it. Writers
   * are held up by neither, since the long part is done beside them.
   */
  emptyLog(): void {
    this.#whileOpen(() => {
      const [state] = this.#database.pragma("wal_checkpoint(PASSIVE)") as { log: number; checkpointed: number }[];
      if (state?.log === state?.checkpointed) this.#database.pragma("wal_checkpoint(TRUNCATE)");
    });
  }

  close(): void {
    this.#closing.abort();
    this.#writes.flush();
    this.#database.close();
  }

  #transact<T>(work: () => T): T {
    const before = this.#counted ?? this.#changes();
    // What is rolled back counts too.
    this.#counted = null;
    const result = this.#whileOpen(() => this.#inTransaction(work)) as T;
    this.#counted = this.#changes();
    if (this.#counted !== before) this.onWrite();
    return result;
  }

  #changes(): number {
    return this.#whileOpen(() => this.get<{ count: number }>("SELECT total_changes() AS count")?.count ?? 0);
  }

  #whileOpen<T>(work: () => T): T {
    if (!this.#database.open) throw new HermesError("STORE_CLOSED", {});
    if (this.#lost) throw this.#lost;
    try {
      return work();
    } catch (error) {
      throw faultOfFile(error, this.#database.name) ?? error;
    }
  }

  #statement(sql: string): Statement<unknown[], unknown> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** What is wrong with the file rather than with what was asked of it; null for anything else. */
function faultOfFile(error: unknown, file: string): HermesError | null {
  const code = String((error as { readonly code?: unknown } | null)?.code);
  if (code === "SQLITE_FULL") return new HermesError("STORE_FULL", { file }, { cause: error });
  if (!/^SQLITE_(?:READONLY|IOERR|CORRUPT|NOTADB|CANTOPEN)/.test(code)) return null;
  return new HermesError("STORE_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
}
