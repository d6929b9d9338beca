import type { BindHandoff, HandoffId } from "../../model/handoff.ts";
import { bindingRow, putBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { givePass } from "./give-pass.ts";
import { leasedHandoff, noteAnswered, reachStep } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { showQuestionsOf } from "./questions.ts";
import { sessionRow } from "./session-rows.ts";
import { openTurn, type TurnRow } from "./turn-rows.ts";

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
  if (request.pass) givePass(context, row, request.pass);
  const turn = openTurn(context, row.session_id);
  if (!turn) {
    addMessages(context, row.session_id, null, [{ ...request.message, internal: true }], `handoff:${row.id}`);
  }
  // It is elsewhere now, and goes nowhere by itself.
  db.run("UPDATE sessions SET away = NULL WHERE id = ? AND away IS NOT NULL", row.session_id);
  enqueue(context, request.outbox, { sessionId: row.session_id, handoffId: row.id });
  // What others can read there asks before everything.
  if (request.conversation.kind !== "dm") {
    db.run("UPDATE sessions SET mode = 'default' WHERE id = ?", row.session_id);
  }
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
  if (turn) takeTurnAlong(context, row.id, turn, request);
  return true;
}

/** Moves the open turn of a session: its questions are asked there, and nobody has to say where things stand. */
function takeTurnAlong(context: Context, id: HandoffId, turn: TurnRow, { key, conversation }: BindHandoff): void {
  const { db } = context;
  showQuestionsOf(context, turn.session_id, { key, conversation }, id);
  db.run("UPDATE handoffs SET turn_surface = ? WHERE id = ?", turn.surface, id);
  db.run("UPDATE turns SET surface = ?, decided_on = NULL WHERE id = ?", key, turn.id);
  noteAnswered(context, id);
}
