import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { type IdSource, randomIds } from "../base/ids.ts";
import { type ProcessProbe, systemProcessProbe } from "../base/process-identity.ts";
import { secretsIn } from "../base/redact.ts";
import { createRowRedaction, type RowRedaction } from "../base/row-redaction.ts";
import type { Store } from "../store/store.ts";

export interface OpenStoreOptions {
  readonly clock?: Clock;
  readonly ids?: IdSource;
  readonly probe?: ProcessProbe;
  /** `full` survives a power cut too; `normal` the end of a process at any moment. */
  readonly durability?: "normal" | "full";
  /** Of what is written. Unless it is given, the secrets of this process's environment are those that are known. */
  readonly redaction?: RowRedaction;
}

/** Opens the store of a home: one SQLite file. */
export async function openStore(home: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { clock = systemClock, ids = randomIds, probe = systemProcessProbe, durability = "normal" } = options;
  const { redaction = createRowRedaction(secretsIn(process.env)) } = options;
  // Only now: much of what a terminal does needs no database.
  const { openSqliteStore } = await import("../store/sqlite/index.ts");
  return openSqliteStore({ file: join(home, "store", "hermes.db"), clock, ids, probe, durability, redaction });
}
