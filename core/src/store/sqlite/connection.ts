import type { Database, Statement } from "better-sqlite3";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { IdSource } from "../../base/ids.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import { type BusyPolicy, isBusy, untilFree } from "./busy.ts";
import { fileFault, isOfFile } from "./file-fault.ts";
import { plannedOnce } from "./plan-once.ts";
import { WriteQueue } from "./write-queue.ts";
import { writtenRows } from "./written-rows.ts";

export type SqlValue = string | number | null;
export type SqlValues = readonly SqlValue[] | readonly [Readonly<Record<string, SqlValue>>];

/** The rows that a transaction wrote, as {@link writtenRows} names them; null where it may be anything. */
export type Written = ReadonlySet<string> | null;

interface Prepared {
  readonly statement: Statement<unknown[], unknown>;
  /** What it writes, as {@link writtenRows} names it; "" where it only reads. */
  readonly writes: string | null;
  /** Whether it may change or remove rows that were there. */
  readonly rewrites: boolean;
}

/** What every part of the store needs. */
export interface Context {
  readonly db: Connection;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
  /** The key by which codes are kept; read, or made, when it is first asked for. Throws STORE_KEY_UNREADABLE. */
  codeKey(): Buffer;
}

/**
 * A connection to the store's file. Use `get`, `all` and `run` only inside `read` and `write`: those wait until the file
 * is free, and a `write` is one transaction, which is rolled back when it throws. Reads that follow each other within one
 * step of the event loop see the same state of the file: locking it costs more than reading a row.
 */
export class Connection {
  readonly #database: Database;
  readonly #policy: BusyPolicy;
  readonly #statements = new Map<string, Prepared>();
  readonly #inTransaction: (work: () => unknown) => unknown;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #closing = new AbortController();
  /** Why the file can no longer be used; null while it can. */
  #lost: HermesError | null = null;
  readonly #writes: WriteQueue;

  /** Whether reads share a transaction; it ends with this step of the event loop. */
  #isReading = false;
  readonly #endReading = (): void => {
    if (!this.#isReading) return;
    this.#isReading = false;
    // An error may have ended it.
    if (this.#database.inTransaction) this.#commit.run();
  };

  /** What the transaction that runs has written. */
  #written = new Set<string>();
  #writesAnything = false;

  /** How often each table's rows were changed by this process, and how often rows of any table may have been. */
  readonly #rewritten = new Map<string | null, number>();

  /** Called after a transaction that changed something. */
  onWrite: (written: Written) => void = () => {};

  constructor(database: Database, policy: Omit<BusyPolicy, "signal">) {
    this.#database = database;
    this.#policy = { ...policy, signal: this.#closing.signal };
    const transaction = database.transaction((work: () => unknown) => work());
    this.#inTransaction = (work) => transaction.immediate(work);
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
    this.#writes = new WriteQueue((work) => this.#transact(work), this.#policy);
  }

  get<Row>(sql: string, ...values: SqlValues): Row | undefined {
    const prepared = this.#prepared(sql);
    const row = prepared.statement.get(...values) as Row | undefined;
    if (row !== undefined) this.#noteWritten(prepared);
    return row;
  }

  all<Row>(sql: string, ...values: SqlValues): Row[] {
    const prepared = this.#prepared(sql);
    const rows = prepared.statement.all(...values) as Row[];
    if (rows.length > 0) this.#noteWritten(prepared);
    return rows;
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SqlValues): number {
    const prepared = this.#prepared(sql);
    const { changes } = prepared.statement.run(...values);
    if (changes > 0) this.#noteWritten(prepared);
    return changes;
  }

  /** Runs `work` and retries it while the file is busy. Throws STORE_BUSY, STORE_CLOSED. */
  async read<T>(work: () => T): Promise<T> {
    try {
      return this.#whileOpen(() => this.#onOneState(work));
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    return untilFree(() => this.#whileOpen(() => this.#onOneState(work)), this.#policy.clock.steady().ms, this.#policy);
  }

  /**
   * Runs `work` in a transaction: all of it is stored, or nothing. Writes run in the order of the calls; a read sees a
   * write once its promise has resolved. Throws STORE_BUSY, STORE_CLOSED, STORE_FULL.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.write(work);
  }

  /** A number that changes whenever another connection has written. */
  dataVersion(): number {
    this.#endReading();
    return this.#whileOpen(() => this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0);
  }

  /**
   * What stays the same as long as nobody changes or removes rows of a table, and no other process writes anything. Rows
   * that this process adds do not count. Call it within the `read` of the rows that it stands for.
   */
  editionOf(table: string): string {
    const version = this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
    return `${version} ${this.#rewritten.get(table) ?? 0} ${this.#rewritten.get(null) ?? 0}`;
  }

  /** Makes every later call throw `error`: this connection's file is no longer the one that other processes use. */
  lose(error: HermesError): void {
    this.#lost ??= error;
  }

  /**
   * Checkpoints the write-ahead log, and truncates it if nobody reads from it. Writers are not blocked: the long part,
   * the passive checkpoint, runs beside them.
   */
  emptyLog(): void {
    this.#endReading();
    this.#whileOpen(() => {
      const [state] = this.#database.pragma("wal_checkpoint(PASSIVE)") as { log: number; checkpointed: number }[];
      if (state?.log === state?.checkpointed) this.#database.pragma("wal_checkpoint(TRUNCATE)");
    });
  }

  close(): void {
    this.#closing.abort();
    this.#writes.flush();
    this.#isReading = false;
    this.#database.close();
  }

  #onOneState<T>(work: () => T): T {
    if (!this.#isReading) {
      this.#begin.run();
      this.#isReading = true;
      // Runs when nothing is left to do in this step: what comes from outside can only come in a later one.
      process.nextTick(this.#endReading);
    }
    try {
      return work();
    } catch (error) {
      this.#endReading();
      throw error;
    }
  }

  #transact<T>(work: () => T): T {
    this.#endReading();
    this.#written = new Set();
    this.#writesAnything = false;
    const result = this.#whileOpen(() => this.#inTransaction(work)) as T;
    if (this.#writesAnything) this.onWrite(null);
    else if (this.#written.size > 0) this.onWrite(this.#written);
    return result;
  }

  #whileOpen<T>(work: () => T): T {
    if (!this.#database.open) throw new HermesError("STORE_CLOSED", {});
    if (this.#lost) throw this.#lost;
    try {
      return work();
    } catch (error) {
      throw isOfFile(error) ? fileFault(error, this.#database.name) : error;
    }
  }

  #noteWritten({ writes, rewrites }: Prepared): void {
    if (rewrites) this.#rewritten.set(writes, (this.#rewritten.get(writes) ?? 0) + 1);
    if (writes === null) this.#writesAnything = true;
    else if (writes !== "") this.#written.add(writes);
  }

  #prepared(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare(plannedOnce(sql));
      const writes = statement.readonly ? "" : writtenRows(sql);
      prepared = {
        statement,
        writes,
        rewrites: writes !== "" && !/^\s*INSERT\s+INTO\b(?!.*\bON CONFLICT\b)/is.test(sql),
      };
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}
