import type { BindHandoff } from "../../model/handoff.ts";
import { bindingRow, putBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { leasedHandoff, reachStep } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { sessionRow } from "./session-rows.ts";

/**
 * See HandoffStore. Idempotent: a retry after a crash changes nothing. For use inside a transaction.
 */
export function bindHandoff(context: Context, request: BindHandoff): boolean {
  const { db } = context;
  const row = leasedHandoff(context, request.id, request.holder);
  if (!row) return false;
  if (row.bound_key !== null) return true;

  const former = bindingRow(context, request.key);
  putBinding(
    context,
    { key: request.key, conversation: request.conversation, sessionId: row.session_id, mirrors: request.mirrors },
    { handoffId: row.id, replaced: former ?? null },
  );
  addMessages(context, row.session_id, null, [{ ...request.message, internal: true }], `handoff:${row.id}`);
  enqueue(context, request.outbox, { sessionId: row.session_id, handoffId: row.id });
  db.run(
    `UPDATE handoffs SET conversation = ?, bound_key = ?, bound_fence = ?,
       bound_inbox = (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'inbox')
     WHERE id = ?`,
    JSON.stringify(request.conversation),
    request.key,
    sessionRow(context, row.session_id)?.fence ?? 0,
    row.id,
  );
  reachStep(context, row, "bound");
  return true;
}
