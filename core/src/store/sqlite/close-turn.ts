import type { SessionId } from "../../model/session.ts";
import { openToolCalls, TOOL_INTERRUPTED, turnMarker } from "../../model/transcript.ts";
import type { Context } from "./connection.ts";
import { addMessages, messagesOfTurn, toMessage } from "./messages.ts";
import { openTurn, type TurnRow } from "./turn-rows.ts";

/**
 * Closes a turn that a dead process left: each tool call without a result gets one, and a marker says that the request is
 * closed. If the holder was only suspended, its later writes are refused.
 */
export function closeTurn(context: Context, turn: TurnRow): void {
  const written = messagesOfTurn(context, turn.session_id, turn.id, turn.message_seq).map(toMessage);
  addMessages(context, turn.session_id, turn.id, [
    ...openToolCalls(written).map((call) => ({ role: "tool" as const, text: TOOL_INTERRUPTED, toolCallId: call.id })),
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
