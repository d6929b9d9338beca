import type { RowRedaction } from "../../base/row-redaction.ts";
import type { Context } from "./connection.ts";
import { redactWrittenRows, unredactedRows } from "./redact-written-rows.ts";

/** Milliseconds for which finished rows are kept. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Rows to delete in one step: a larger step would block other writers. */
const STEP = 200;

/** The finished rows of each table, each found by a partial index. */
const OVER = [
  // Tombstones: a message that comes again after that time counts as new.
  { table: "inbox", where: "done_at < $before" },
  { table: "let_go", where: "let_go_at < $before" },
  {
    table: "outbox",
    where: `created_at < $before AND state NOT IN ('queued', 'sending')
      AND (approval_id IS NULL OR approval_id NOT IN (SELECT id FROM approvals WHERE state = 'open'))`,
  },
  // Not the turn of a message or a handoff that is still open: it would run again.
  {
    table: "turns",
    where: `ended_at < $before
      AND NOT EXISTS (SELECT 1 FROM inbox WHERE id = turns.inbox_id AND done_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM handoffs WHERE id = turns.handoff_id AND ended_at IS NULL)`,
  },
  // Not messages that were hidden for an open /undo: a retry of it would hide others.
  {
    table: "messages",
    where: `hidden_at < $before
      AND NOT EXISTS (SELECT 1 FROM inbox WHERE id = messages.hidden_by AND done_at IS NULL)`,
  },
  // A place that a session is open in, or that the config names, stays.
  {
    table: "places",
    where: "heard_at < $before AND called IS NULL AND NOT EXISTS (SELECT 1 FROM bindings WHERE key = places.key)",
  },
  // Of machines that never came back: this one's are ended, and forgotten then.
  { table: "call_processes", where: "noted_at < $before" },
  // A pass that is in use counts for as long as its conversation leads to the session.
  {
    table: "codes",
    where: "expires_at < $before AND coalesce(ended_at, 0) < $before AND NOT (kind = 'pass' AND state = 'taken')",
  },
  { table: "asks", where: "expires_at < $before" },
  // What was allowed beyond a limit of a session holds as long as that.
  { table: "limit_raises", where: "at < $before AND subject NOT LIKE 'session:%'" },
] as const;

/** See Store. Also redacts, once per process, what was written before a secret became known. */
export function sqlitePrune({ db, clock }: Context, redaction: RowRedaction): () => Promise<number> {
  let isRedacted = false;
  return async () => {
    if (!isRedacted) {
      const unredacted = await db.read(() => unredactedRows(db, redaction));
      if (unredacted.length > 0) await db.write(() => redactWrittenRows(db, redaction));
      isRedacted = true;
    }
    const values = { before: clock.now() - KEPT_MS, step: STEP };
    for (const { table, where } of OVER) {
      const some = `SELECT rowid FROM ${table} WHERE ${where} LIMIT $step`;
      // Mostly there is nothing to delete: then this takes no write lock.
      if ((await db.read(() => db.get(some, { ...values, step: 1 }))) === undefined) continue;
      const removed = await db.write(() => db.run(`DELETE FROM ${table} WHERE rowid IN (${some})`, values));
      if (removed > 0) return removed;
    }
    return 0;
  };
}
