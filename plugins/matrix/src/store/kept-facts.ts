import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { KeptSession } from "./bot-store.ts";

/** What a gateway has kept of its session, for who only looks. */
export interface KeptFacts {
  /** That of a login with a password. */
  readonly session: KeptSession | null;
  /** The user and the device whose keys are here, as `@hermes:example.org DEVICE`. */
  readonly owner: string | null;
}

/**
 * Reads what the plugin's folder holds, and writes nothing: whoever opens a BotStore takes the keys over from the gateway
 * that uses them.
 */
export function readKeptFacts(folder: string): KeptFacts {
  const file = join(folder, "matrix.db");
  if (!existsSync(file)) return { session: null, owner: null };
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const select = database.prepare<[string], { readonly value: string }>("SELECT value FROM facts WHERE name = ?");
    const session = select.get("session")?.value;
    return {
      session: session === undefined ? null : (JSON.parse(session) as KeptSession),
      owner: select.get("owner")?.value ?? null,
    };
  } finally {
    database.close();
  }
}
