import { dirname, join, resolve } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { IdSource } from "../../base/ids.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import { createRowRedaction, type RowRedaction } from "../../base/row-redaction.ts";
import { redactingStore } from "../redacting-store.ts";
import type { Store } from "../store.ts";
import { sqliteApprovals } from "./approvals.ts";
import { sqliteAsks } from "./asks.ts";
import { sqliteAway } from "./away.ts";
import { sqliteBindings } from "./bindings.ts";
import { describeHolders } from "./busy-holder.ts";
import { keyIn } from "./code-key.ts";
import { sqliteCodes } from "./codes.ts";
import { sqliteCompactions } from "./compactions.ts";
import { Connection, type Context } from "./connection.ts";
import { sqliteDeliveries } from "./deliveries.ts";
import { sqliteGateways } from "./gateways.ts";
import { sqliteGrants } from "./grants.ts";
import { sqliteHandoffs } from "./handoffs.ts";
import { sqliteHomePeople } from "./home-people.ts";
import { sqliteIdentities } from "./identities.ts";
import { sqliteInbox } from "./inbox.ts";
import { sqliteLeases } from "./leases.ts";
import { sqliteFileNames } from "./named-files.ts";
import { openFile } from "./open-file.ts";
import { sqliteOutbox } from "./outbox.ts";
import { sqliteOverview } from "./overview.ts";
import { sqlitePeople } from "./people.ts";
import { sqlitePlaces } from "./places.ts";
import { sqlitePrune } from "./prune.ts";
import { sqliteSessions } from "./sessions.ts";
import { sqliteTranscripts } from "./transcripts.ts";
import { sqliteTurns } from "./turns.ts";
import { sqliteTypedLines } from "./typed-lines.ts";
import { sqliteUsage } from "./usage.ts";
import { sqliteUsers } from "./users.ts";
import { sqliteViews } from "./views.ts";
import { StoreWatcher } from "./watch.ts";
import { WordIndex } from "./word-index.ts";

export interface SqliteStoreOptions {
  /** It is created if it is missing, and so is its folder. */
  readonly file: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
  /** Redacts what is written, and what an earlier Hermes wrote. Without it, only what looks like a secret is redacted. */
  readonly redaction?: RowRedaction;
  /** `normal` (the default) survives a killed process; `full` also a power cut, but is slower. */
  readonly durability?: "normal" | "full";
  /** The folder for a copy of the file before its tables are migrated; without it, no copy is made. */
  readonly copies?: string;
  /** The file with the key by which codes are kept, made where it is missing; by default `codes.key` beside `file`. */
  readonly keyFile?: string;
  /** Milliseconds that a call waits while others have the file locked; 5000 by default. */
  readonly busyTimeoutMs?: number;
  /** Milliseconds between checks for changes, for systems that do not report them; 500 by default. */
  readonly pollMs?: number;
  /** Returns a number from 0 up to 1, for the jitter of retries on a busy file. */
  readonly random?: () => number;
}

/** Calls that restore ids themselves. */
const RESTORED = new Set(["transcripts.read"]);

/**
 * Opens the embedded store: one file that any number of processes of one machine may use at once. Importing this module
 * loads the driver, so import it only where a store is needed. Throws STORE_UNREADABLE, STORE_TOO_NEW, STORE_BUSY.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { clock, ids, probe, durability = "normal", pollMs = 500, random = Math.random } = options;
  const { redaction = createRowRedaction([]) } = options;
  const file = resolve(options.file);
  const policy = { clock, random, timeoutMs: options.busyTimeoutMs ?? 5000 };
  const database = await openFile(file, { durability, redaction, copies: options.copies }, policy);

  const db: Connection = new Connection(database, {
    ...policy,
    giveUp: () =>
      new HermesError("STORE_BUSY", { file, seconds: policy.timeoutMs / 1000, holder: describeHolders(context, file) }),
  });
  let key: Buffer | null = null;
  const keyFile = options.keyFile ?? join(dirname(file), "codes.key");
  const codeKey = () => (key ??= keyIn(keyFile));
  const context: Context = { db, clock, ids, probe, codeKey };
  const watcher = new StoreWatcher(file, db, clock, pollMs);
  const words = new WordIndex(db, clock);
  words.fillSoon();
  db.onWrite = (written) => {
    watcher.notify(written);
    words.fillSoon();
  };

  const store: Store = {
    sessions: sqliteSessions(context),
    transcripts: sqliteTranscripts(context, words, redaction),
    compactions: sqliteCompactions(context),
    turns: sqliteTurns(context),
    approvals: sqliteApprovals(context),
    asks: sqliteAsks(context),
    typedLines: sqliteTypedLines(context),
    handoffs: sqliteHandoffs(context),
    away: sqliteAway(context),
    bindings: sqliteBindings(context),
    inbox: sqliteInbox(context),
    outbox: sqliteOutbox(context),
    deliveries: sqliteDeliveries(context),
    leases: sqliteLeases(context),
    gateways: sqliteGateways(context),
    users: sqliteUsers(context),
    identities: sqliteIdentities(context),
    homePeople: sqliteHomePeople(context),
    people: sqlitePeople(context),
    grants: sqliteGrants(context),
    codes: sqliteCodes(context),
    views: sqliteViews(context),
    overview: sqliteOverview(context),
    places: sqlitePlaces(context),
    files: sqliteFileNames(context),
    usage: sqliteUsage(context),
    prune: sqlitePrune(context, redaction),
    watch: (listener, of) => watcher.add(listener, of),
    close: async () => {
      words[Symbol.dispose]();
      db.close();
      watcher[Symbol.dispose]();
    },
  };
  return redactingStore(store, redaction, RESTORED);
}
