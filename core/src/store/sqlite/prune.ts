import type { RowRedaction } from "../../base/row-redaction.ts";
import type { Context } from "./connection.ts";
import { redactWrittenRows, unredactedRows } from "./redact-written-rows.ts";

/** How long what is over is kept, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** As many rows go in one step: a larger one would hold up whoever writes meanwhile. */
const STEP = 200;

/** What is over, each by an index that holds nothing else. */
const OVER = [
  // Tombstones: a message that comes once more after so long is taken for a new one.
  { table: "inbox", where: "done_at < $before" },
  { table: "let_go", where: "let_go_at < $before" },
  { table: "outbox", where: "created_at < $before AND state NOT IN ('queued', 'sending')" },
  // Not that of a message or a handoff which is still open: it would be run once more.
  {
    table: "turns",
    where: `ended_at < $before
      AND NOT EXISTS (SELECT 1 FROM inbox WHERE id = turns.inbox_id AND done_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM handoffs WHERE id = turns.handoff_id AND ended_at IS NULL)`,
  },
  // Nor those that were taken out for such a message: the request would take out others.
  {
    table: "messages",
    where: `hidden_at < $before
      AND NOT EXISTS (SELECT 1 FROM inbox WHERE id = messages.hidden_by AND done_at IS NULL)`,
  },
] as const;

/** See Store. Also redacts, once in the life of a process, what was written before anybody knew a secret. */
export function sqlitePrune({ db, clock }: Context, redaction: RowRedaction): () => Promise<number> {
  let isRedacted = false;
  return async () => {
    if (!isRedacted) {
      isRedacted = true;
      const unredacted = await db.read(() => unredactedRows(db, redaction));
      if (unredacted.length > 0) await db.write(() => redactWrittenRows(db, redaction));
    }
    const values = { before: clock.now() - KEPT_MS, step: STEP };
    for (const { table, where } of OVER) {
      const some = `SELECT rowid FROM ${table} WHERE ${where} LIMIT $step`;
      // Mostly there is nothing, and then nobody is kept from writing.
      if ((await db.read(() => db.get(some, { ...values, step: 1 }))) === undefined) continue;
      const removed = await db.write(() => db.run(`DELETE FROM ${table} WHERE rowid IN (${some})`, values));
      if (removed > 0) return removed;
    }
    return 0;
  };
}
