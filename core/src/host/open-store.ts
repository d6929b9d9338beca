import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { type IdSource, randomIds } from "../base/ids.ts";
import { type ProcessProbe, systemProcessProbe } from "../base/process-identity.ts";
import { secretsIn } from "../base/redact.ts";
import { createRowRedaction, type RowRedaction } from "../base/row-redaction.ts";
import type { Store } from "../store/store.ts";
import type { StoreDamage, StoreReport } from "../store/store-report.ts";

export interface OpenStoreOptions {
  readonly clock?: Clock;
  readonly ids?: IdSource;
  readonly probe?: ProcessProbe;
  /** `normal` survives a crash of the process at any moment, `full` also a power cut. */
  readonly durability?: "normal" | "full";
  /** Redacts what is written; by default, the secrets of this process's environment. */
  readonly redaction?: RowRedaction;
}

/** Opens a home's store: one SQLite file. */
export async function openStore(home: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { clock = systemClock, ids = randomIds, probe = systemProcessProbe, durability = "normal" } = options;
  const { redaction = createRowRedaction(secretsIn(process.env)) } = options;
  // Imported lazily: many commands need no database.
  const { openSqliteStore } = await import("../store/sqlite/index.ts");
  const copies = join(home, "backups");
  return openSqliteStore({
    ...{ file: storeFileOf(home), keyFile: join(home, "codes.key"), copies },
    clock,
    ids,
    probe,
    durability,
    redaction,
  });
}

/** Where the store of a home is. */
export function storeFileOf(home: string): string {
  return join(home, "store", "hermes.db");
}

/** Examines the store of a home from outside: see `StoreReport`. Throws STORE_UNREADABLE, STORE_BUSY. */
export async function examineStore(
  home: string,
  options: { readonly clock: Clock; readonly probe: ProcessProbe },
): Promise<StoreReport> {
  const { examineFile } = await import("../store/sqlite/examine-file.ts");
  return examineFile({ ...options, file: storeFileOf(home) });
}

/** Looks through a store's file for damage; null where that takes longer than `timeoutMs` milliseconds. */
export async function findStoreDamage(
  file: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<StoreDamage | null> {
  const { findDamage } = await import("../store/sqlite/examine-file.ts");
  return findDamage(file, timeoutMs, signal);
}

/** What may be done to a store's file from outside, while others use it. */
export const storeRepairs = {
  /** False while somebody reads from an old state of the file. */
  async emptyLog(file: string): Promise<boolean> {
    return (await import("../store/sqlite/repair-file.ts")).emptyLog(file);
  },
  async rebuildIndex(file: string): Promise<void> {
    (await import("../store/sqlite/repair-file.ts")).rebuildIndex(file);
  },
};

/** Copies of stores, for backups. */
export function snapshots(): Promise<typeof import("../store/sqlite/snapshot.ts")> {
  return import("../store/sqlite/snapshot.ts");
}
