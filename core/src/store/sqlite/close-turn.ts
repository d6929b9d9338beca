import type { SessionId } from "../../model/session.ts";
import { turnMarker } from "../../model/transcript.ts";
import { settleOpenCalls } from "./calls.ts";
import type { Context } from "./connection.ts";
import { addMessages } from "./messages.ts";
import { openTurn, type TurnRow } from "./turn-rows.ts";

/**
 * Closes a turn that a dead process left: each tool call without a result gets one, and a marker says that the request is
 * closed. If the holder was only suspended, its later writes are refused.
 */
export function closeTurn(context: Context, turn: TurnRow): void {
  settleOpenCalls(context, turn);
  addMessages(context, turn.session_id, turn.id, [
    { role: "assistant", text: turnMarker("interrupted", turn.tool_started === 1), internal: true },
  ]);
  endTurn(context, turn, "interrupted");
}

/** Closes the session's open turn, if there is one. The caller has checked that it is not live. */
export function closeStaleTurn(context: Context, sessionId: SessionId): void {
  const turn = openTurn(context, sessionId);
  if (turn) closeTurn(context, turn);
}

export function endTurn({ db, clock }: Context, turn: TurnRow, state: "done" | "interrupted"): void {
  db.run("UPDATE turns SET state = ?, ended_at = ? WHERE id = ?", state, clock.now(), turn.id);
}
