import type { StoredError } from "../../base/errors.ts";
import { placeName } from "../../model/place-name.ts";
import { handoffFailedMarker } from "../../model/transcript.ts";
import { type BindingRow, bindingOfHandoff, bindingRow, toBinding, unbindHandoff } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { endTurn } from "./end-turn.ts";
import { endHandoff, type HandoffRow } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { withdrawQuestions } from "./questions.ts";
import { openTurn } from "./turn-rows.ts";

/**
 * Undoes what a handoff did to its session, and fails it. A turn that it took along waits where it was before. Returns
 * false and writes nothing if the person has written at the new place: then the handoff succeeded well enough. For use
 * inside a transaction.
 */
export function compensate(context: Context, row: HandoffRow, error: StoredError): boolean {
  const { db } = context;
  const binding = bindingOfHandoff(context, row.id);
  if (row.bound_key !== null) {
    if (wasWrittenAt(context, row, binding)) return false;
    takeBack(context, row, error);
  }
  // Refused and uncertain messages are cancelled, too: they must not be offered there after the session has left.
  db.run(
    "UPDATE outbox SET state = 'cancelled' WHERE handoff_id = ? AND state IN ('queued', 'failed', 'uncertain')",
    row.id,
  );
  db.run(
    `UPDATE outbox SET state = 'cancelled'
     WHERE edits IS NOT NULL AND state = 'queued' AND edits IN (SELECT id FROM outbox WHERE handoff_id = ?)`,
    row.id,
  );
  withdrawQuestions(context, row.id);
  unbindHandoff(context, row.id);
  endHandoff(context, row, "failed", error);
  return true;
}

function wasWrittenAt({ db }: Context, row: HandoffRow, binding: BindingRow | undefined): boolean {
  const written = db.get(
    `SELECT 1 FROM inbox WHERE key IN ($bound, $now) AND number > $inbox
     UNION ALL
     SELECT 1 FROM turns
     WHERE session_id = $session AND fence > $fence AND inbox_id IS NOT NULL AND surface IN ($bound, $now)
     LIMIT 1`,
    {
      bound: row.bound_key,
      now: binding?.key ?? row.bound_key,
      inbox: row.bound_inbox,
      session: row.session_id,
      fence: row.bound_fence,
    },
  );
  return written !== undefined;
}

function takeBack(context: Context, row: HandoffRow, error: StoredError): void {
  const turn = openTurn(context, row.session_id);
  if (turn?.handoff_id === row.id) endTurn(context, turn, "interrupted");
  else if (turn && row.turn_surface !== null) {
    context.db.run("UPDATE turns SET surface = ? WHERE id = ?", row.turn_surface, turn.id);
  }
  addMessages(context, row.session_id, null, [
    { role: "assistant", text: handoffFailedMarker(row.platform, error.text, nameOf(context, row)), internal: true },
  ]);
  const last = row.left_surface ?? row.from_surface;
  context.db.run("UPDATE sessions SET last_surface = ?, left_surface = NULL WHERE id = ?", last, row.session_id);
}

/** Where a failed handoff came from, by a name for people. */
function nameOf(context: Context, { from_surface: from }: HandoffRow): string {
  const binding = from === "terminal" ? undefined : bindingRow(context, from);
  return placeName(from, binding && toBinding(binding).conversation);
}
