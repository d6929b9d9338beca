import type { ParkTurn, ParkTurnResult } from "../../model/turn.ts";
import { addApprovals, areCodesTaken } from "./approval-rows.ts";
import { stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { atItsPlace, completeDraft } from "./finish-turn.ts";
import { finishInbox } from "./inbox-rows.ts";
import { showQuestion } from "./questions.ts";
import { ownTurn } from "./turn-rows.ts";

/** See TurnStore. For use inside a transaction. */
export function parkTurn(context: Context, request: ParkTurn): ParkTurnResult {
  const { db, clock } = context;
  const turn = ownTurn(context, request.turnId, request.fence);
  if (
    areCodesTaken(
      context,
      request.approvals.map(({ code }) => code),
    )
  )
    return "taken";

  const { key: here, entries } = atItsPlace(context, turn, request.outbox);
  completeDraft(context, turn, entries);
  if (turn.inbox_id !== null) finishInbox(context, turn.inbox_id);
  const now = clock.now();
  db.run("UPDATE sessions SET fence = fence + 1, updated_at = ? WHERE id = ?", now, turn.session_id);
  db.run(
    `UPDATE turns SET state = 'waiting', waits_for = $reason, park_requested = 0, parked_at = $now, decided_on = NULL,
       lease_until = 0, lease_steady = NULL, surface = $here,
       fence = (SELECT fence FROM sessions WHERE id = turns.session_id)
     WHERE id = $id`,
    { id: turn.id, reason: request.reason, now, here },
  );
  const rows = addApprovals(context, turn, request.approvals);
  for (const place of atItsPlace(context, turn, request.shownAt).entries) {
    for (const row of rows) showQuestion(context, row, place);
  }
  // Somebody stopped it before its holder learned that.
  if (turn.stop_requested === 1) stopWaitingTurn(context, turn.session_id);
  return "parked";
}
