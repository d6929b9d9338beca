import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

type Row = Readonly<Record<string, unknown>>;

interface Database {
  pragma(text: string): unknown;
  exec(sql: string): unknown;
  prepare(sql: string): { all(...values: readonly (string | number | null)[]): unknown[] };
  close(): void;
}

/** The store's file, looked into from outside: nothing of Hermes is between. */
export class StoreFile {
  readonly path: string;
  #reading: Database | null = null;

  constructor(home: string) {
    this.path = join(home, "store", "hermes.db");
  }

  /** Rows of a query; none while the file cannot be read. */
  rows(sql: string, ...values: readonly (string | number | null)[]): Row[] {
    try {
      this.#reading ??= open(this.path, { readonly: true, timeout: 200 });
      return this.#reading.prepare(sql).all(...values) as Row[];
    } catch {
      return [];
    }
  }

  /** The process that serves most accounts. */
  servingPid(): number | null {
    const holders = this.rows("SELECT holder FROM leases WHERE name LIKE 'account:%' OR name LIKE 'account%'");
    const counts = new Map<number, number>();
    for (const { holder } of holders) {
      const { pid } = JSON.parse(String(holder)) as { readonly pid: number };
      counts.set(pid, (counts.get(pid) ?? 0) + 1);
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
  }

  /** Resolves when gateways serve so many accounts, and all are up. Throws after a minute. */
  async untilServed(accounts: number): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const gateways = this.rows("SELECT platforms FROM gateways").map(({ platforms }) =>
        JSON.parse(String(platforms)),
      );
      const up = (gateways.flat() as { standby: boolean; health: { state: string } }[]).filter(
        ({ standby, health }) => !standby && health.state === "up",
      );
      if (up.length >= accounts) return;
      await pause(100);
    }
    throw new Error("the gateways did not come to serve every platform");
  }

  /** How many messages wait to be answered, and to be sent. */
  open(): { readonly inbox: number; readonly outbox: number; readonly handoffs: number } {
    const count = (sql: string) => Number(this.rows(sql)[0]?.count ?? -1);
    return {
      inbox: count("SELECT count(*) AS count FROM inbox WHERE done_at IS NULL"),
      outbox: count("SELECT count(*) AS count FROM outbox WHERE state IN ('queued', 'sending')"),
      handoffs: count("SELECT count(*) AS count FROM handoffs WHERE state IN ('pending', 'running')"),
    };
  }

  /** A connection that can hold the write lock, as any other program's. */
  openForWriting(): Database {
    return open(this.path, { timeout: 0 });
  }

  close(): void {
    this.#reading?.close();
    this.#reading = null;
  }
}

/** Opens a file with the very copy of the driver that the store uses. */
function open(path: string, options: { readonly readonly?: boolean; readonly timeout: number }): Database {
  const fromCore = createRequire(import.meta.resolve("@hermes/core/package.json"));
  const Driver = fromCore("better-sqlite3") as new (path: string, options: object) => Database;
  return new Driver(path, options);
}
