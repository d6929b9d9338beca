import type { ApprovalState } from "../../model/approval.ts";
import { TOOL_NOT_RUN, turnMarker } from "../../model/transcript.ts";
import { openApprovalsOf } from "./approval-rows.ts";
import { settleOpenCalls } from "./calls.ts";
import type { Context } from "./connection.ts";
import { putOffExpiry } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { closeQuestion } from "./questions.ts";
import type { TurnRow } from "./turn-rows.ts";

export function endTurn(context: Context, turn: TurnRow, state: "done" | "interrupted"): void {
  const { db, clock } = context;
  putOffExpiry(context, turn.session_id);
  db.run(
    "UPDATE turns SET state = ?, ended_at = ?, waits_for = NULL, park_requested = 0 WHERE id = ?",
    state,
    clock.now(),
    turn.id,
  );
}

export interface Closing {
  readonly why?: "interrupted" | "stopped";
  /** What becomes of its open approvals. */
  readonly approvals?: Extract<ApprovalState, "expired" | "cancelled">;
  /** The result of the calls that had not begun. */
  readonly openCalls?: string;
}

/**
 * Ends a turn without an answer: each tool call without a result gets one, its open questions are closed, and a marker
 * says that the request is closed. If a holder was only suspended, its later writes are refused.
 */
export function cutShort(
  context: Context,
  turn: TurnRow,
  { why = "interrupted", approvals = "cancelled", openCalls = TOOL_NOT_RUN }: Closing = {},
): void {
  for (const row of openApprovalsOf(context, turn.id)) {
    context.db.run("UPDATE approvals SET state = ? WHERE id = ?", approvals, row.id);
    closeQuestion(context, { ...row, state: approvals });
  }
  settleOpenCalls(context, turn, openCalls);
  // A turn that only compacts has no request of its own to close.
  if (turn.compacts === 0) {
    addMessages(context, turn.session_id, turn.id, [
      { role: "assistant", text: turnMarker(why, turn.tool_started === 1), internal: true },
    ]);
  }
  endTurn(context, turn, "interrupted");
}
