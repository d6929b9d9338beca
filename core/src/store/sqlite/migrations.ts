import type { Database } from "better-sqlite3";
import { HermesError } from "../../base/errors.ts";
import type { RowRedaction } from "../../base/row-redaction.ts";
import { ASKS } from "./ask-schema.ts";
import { CALL_PROCESSES, CALLS } from "./call-schema.ts";
import { CODE_KEYS, CODES } from "./code-schema.ts";
import { COMPACTIONS } from "./compaction-schema.ts";
import type { SqlValues } from "./connection.ts";
import { FILES_OF_MESSAGES, FILES_OF_TURNS } from "./file-schema.ts";
import {
  AWAY,
  FORMER_SESSION_ONCE,
  LEFT_SURFACE,
  OPENED_THREAD,
  PLACE_OF_HANDOFF,
  TARGET_OF_HANDOFF,
} from "./handoff-schema.ts";
import { LEASE_SINCE } from "./held-leases.ts";
import { GRANTS, WHO_IS_WHO } from "./identity-schema.ts";
import { statementsFor } from "./new-tables.ts";
import { BY_HAND_ONLY, SENDER, SHOWN_WHOLE, STEADY_OUTBOX, VERSION_6 } from "./outbox-schema.ts";
import { ASKED_BY, PEOPLE, UNMARKED_GUESTS } from "./people-schema.ts";
import { PLACES } from "./place-schema.ts";
import { redactWrittenRows } from "./redact-written-rows.ts";
import {
  CONFIG_CHANGED,
  LET_GO,
  MODEL_OF_CONFIG,
  PROVIDER_PARTS,
  RESTORED,
  STATE_OF_WORK,
  STEADY_CLOCK,
  TURN_AUTHOR,
  VERSION_1,
  VERSION_2,
  VERSION_4,
  VERSION_5,
} from "./schema.ts";
import { PARTS_OF_WORDS, WORDS_BEHIND } from "./search-schema.ts";
import { TITLES_OF_PEOPLE } from "./title-schema.ts";
import { LIMIT_RAISES, USAGE } from "./usage-schema.ts";
import { OUTPUT_OF_CALL, VIEWS } from "./view-schema.ts";
import { REMINDED, TURN_OF_HANDOFF, WAITING_AT_REST, WAITING_TURNS } from "./waiting-schema.ts";

type Migration = string | ((database: Database, redaction: RowRedaction) => void);

/** The migration at index n brings a file from version n to n + 1. Append-only. */
const MIGRATIONS: readonly Migration[] = [
  VERSION_1,
  VERSION_2,
  redactRows,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  WHO_IS_WHO,
  CONFIG_CHANGED,
  TURN_AUTHOR,
  FORMER_SESSION_ONCE,
  SHOWN_WHOLE,
  LET_GO,
  WORDS_BEHIND,
  MODEL_OF_CONFIG,
  STEADY_CLOCK,
  PLACE_OF_HANDOFF,
  PARTS_OF_WORDS,
  STEADY_OUTBOX,
  RESTORED,
  CALLS,
  CALL_PROCESSES,
  GRANTS,
  WAITING_TURNS,
  REMINDED,
  PROVIDER_PARTS,
  TURN_OF_HANDOFF,
  WAITING_AT_REST,
  STATE_OF_WORK,
  CODES,
  LEASE_SINCE,
  ASKS,
  TARGET_OF_HANDOFF,
  PEOPLE,
  VIEWS,
  UNMARKED_GUESTS,
  AWAY,
  PLACES,
  SENDER,
  FILES_OF_MESSAGES,
  USAGE,
  ASKED_BY,
  CODE_KEYS,
  LIMIT_RAISES,
  COMPACTIONS,
  LEFT_SURFACE,
  FILES_OF_TURNS,
  OUTPUT_OF_CALL,
  BY_HAND_ONLY,
  TITLES_OF_PEOPLE,
  OPENED_THREAD,
];

/** Brings a file to version 3, which has no secret in a title, a name or a text of a handoff. */
function redactRows(database: Database, redaction: RowRedaction): void {
  const rows = {
    all: <Row>(sql: string, ...values: SqlValues) => database.prepare(sql).all(...values) as Row[],
    get: <Row>(sql: string, ...values: SqlValues) => database.prepare(sql).get(...values) as Row | undefined,
    run: (sql: string, ...values: SqlValues) => database.prepare(sql).run(...values).changes,
  };
  redactWrittenRows(rows, redaction);
}

/** "Herm" as a number: distinguishes a store from the database of another program. */
const APPLICATION_ID = 0x4865726d;

/** What makes the tables of a further new file, once this process has made one: it may serve many homes. */
let newTables: string | null = null;

/**
 * Migrates the tables to this Hermes' version, in one transaction, so that two processes that start at once do it once.
 * Calls `before` with the version of existing tables first. Throws STORE_TOO_NEW and STORE_UNREADABLE, and then changes
 * nothing. `to`: an earlier version, for tests of the migrations after it.
 */
export function migrate(
  database: Database,
  file: string,
  redaction: RowRedaction,
  before: (version: number) => void = () => {},
  to = TABLES_VERSION,
): void {
  // Also in a transaction: while another process migrates, a half-migrated file would look like another program's.
  const found = database.transaction(() => ownVersionOf(database, file))();
  if (found === TABLES_VERSION) return;
  if (found > 0) before(found);
  withoutForeignKeys(database, () =>
    database
      .transaction(() => {
        const version = ownVersionOf(database, file);
        if (version === 0 && to === TABLES_VERSION && newTables !== null) {
          database.exec(newTables);
        } else {
          for (const migration of MIGRATIONS.slice(version, to)) {
            if (typeof migration === "string") database.exec(migration);
            else migration(database, redaction);
          }
          if (version === 0 && to === TABLES_VERSION) newTables = statementsFor(database);
        }
        database.pragma(`application_id = ${APPLICATION_ID}`);
        database.pragma(`user_version = ${to}`);
      })
      .immediate(),
  );
}

/** A table that is dropped to be made anew would take along all that refers to it. In a transaction this changes nothing. */
function withoutForeignKeys(database: Database, work: () => void): void {
  const enforced = Number(database.pragma("foreign_keys", { simple: true }));
  database.pragma("foreign_keys = OFF");
  try {
    work();
  } finally {
    database.pragma(`foreign_keys = ${enforced}`);
  }
}

/** The version of the tables that this Hermes reads and writes. */
export const TABLES_VERSION = MIGRATIONS.length;

/** The version of the tables in a file; 0 if it has none yet. Throws STORE_UNREADABLE for another program's database. */
export function versionOf(database: Database, file: string): number {
  const owner = Number(database.pragma("application_id", { simple: true }));
  const version = Number(database.pragma("user_version", { simple: true }));
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (owner !== APPLICATION_ID && !(isEmpty && owner === 0 && version === 0)) {
    throw new HermesError("STORE_UNREADABLE", { file, reason: "it is the database of another program" });
  }
  return version;
}

function ownVersionOf(database: Database, file: string): number {
  const version = versionOf(database, file);
  if (version > TABLES_VERSION) {
    throw new HermesError("STORE_TOO_NEW", { file, found: version, known: TABLES_VERSION });
  }
  return version;
}
