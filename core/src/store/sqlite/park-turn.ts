import type { ParkTurn, ParkTurnResult, WaitReason } from "../../model/turn.ts";
import { addApprovals, areCodesTaken } from "./approval-rows.ts";
import { stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { atItsPlace, completeDraft } from "./finish-turn.ts";
import { putOffExpiry } from "./handoff-rows.ts";
import { finishInbox } from "./inbox-rows.ts";
import { showQuestion } from "./questions.ts";
import { ownTurn, type TurnRow } from "./turn-rows.ts";

/** See TurnStore. For use inside a transaction. */
export function parkTurn(context: Context, request: ParkTurn): ParkTurnResult {
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
  if (request.filesUpTo !== undefined) {
    context.db.run("UPDATE turns SET files_up_to = ? WHERE id = ?", request.filesUpTo, turn.id);
  }
  wait(context, { ...turn, surface: here }, request.reason);
  const rows = addApprovals(context, turn, request.approvals);
  for (const place of atItsPlace(context, turn, request.shownAt).entries) {
    for (const row of rows) showQuestion(context, row, place);
  }
  stopIfAsked(context, turn);
  return "parked";
}

/** Parks the turn that a dead process left while a handoff waited for it. */
export function parkForHandoff(context: Context, turn: TurnRow): void {
  wait(context, turn, "handoff");
  stopIfAsked(context, turn);
}

/** Lets a turn wait: its lease released, its message done, and whatever its former holder writes refused. */
function wait(context: Context, turn: TurnRow, reason: WaitReason): void {
  const { db, clock } = context;
  if (turn.inbox_id !== null) finishInbox(context, turn.inbox_id);
  const now = clock.now();
  db.run("UPDATE sessions SET fence = fence + 1, updated_at = ? WHERE id = ?", now, turn.session_id);
  db.run(
    `UPDATE turns SET state = 'waiting', waits_for = $reason, park_requested = 0, parked_at = $now, decided_on = NULL,
       lease_until = 0, lease_steady = NULL, surface = $surface,
       fence = (SELECT fence FROM sessions WHERE id = turns.session_id)
     WHERE id = $id`,
    { id: turn.id, reason, now, surface: turn.surface },
  );
  putOffExpiry(context, turn.session_id);
}

/** Somebody may have stopped a turn before its holder learned that. */
function stopIfAsked(context: Context, turn: TurnRow): void {
  if (turn.stop_requested > 0) stopWaitingTurn(context, turn.session_id);
}
