import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { ApprovalState } from "../../model/approval.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import { TOOL_NOT_RUN, turnMarker } from "../../model/transcript.ts";
import { openApprovalsOf } from "./approval-rows.ts";
import { bindingRow } from "./binding-rows.ts";
import { settleOpenCalls } from "./calls.ts";
import type { Context } from "./connection.ts";
import { putOffExpiry } from "./handoff-rows.ts";
import { addMessages } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { closeQuestion } from "./questions.ts";
import { takeWanted } from "./take-along.ts";
import { goesOn, openTurn, type TurnRow } from "./turn-rows.ts";

interface Closing {
  readonly why?: "interrupted" | "stopped";
  /** What becomes of its open approvals. */
  readonly approvals?: Extract<ApprovalState, "expired" | "cancelled">;
  /** The result of the calls that had not begun. */
  readonly openCalls?: string;
}

/**
 * Closes a turn without an answer: each tool call without a result gets one, its open questions are closed, and a marker
 * says that the request is closed. If a holder was only suspended, its later writes are refused.
 */
export function closeTurn(
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
  takeWanted(context, turn.session_id);
}

/** Closes the open turn that a dead process left, unless it is gone on with. The caller has checked that it is not live. */
export function closeStaleTurn(context: Context, sessionId: SessionId): void {
  const turn = openTurn(context, sessionId);
  if (turn && !goesOn(turn)) closeTurn(context, turn);
}

/** Stops a turn of the session that waits, or that waits to be gone on with. False when there is none. */
export function stopWaitingTurn(context: Context, sessionId: SessionId): boolean {
  const turn = openTurn(context, sessionId);
  if (!turn || !goesOn(turn)) return false;
  closeTurn(context, turn, { why: "stopped" });
  return true;
}

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

/** Queues a message where a turn was asked for. `isBound`: whether that place still leads to its session. */
export function tellPlaceOf(context: Context, turn: TurnRow, message: (isBound: boolean) => OutboundMessage): void {
  const conversation = conversationOf(context, turn, turn.surface);
  if (turn.surface === "terminal" || conversation === null) return;
  const isBound = bindingRow(context, turn.surface)?.session_id === turn.session_id;
  enqueue(context, [{ key: turn.surface, conversation, message: message(isBound) }], {
    ...{ sessionId: turn.session_id, turnId: turn.id },
  });
}

/** The conversation of a place where a turn is, or null for the terminal and for a place that nobody knows any more. */
export function conversationOf({ db }: Context, turn: TurnRow, surface: Surface): Conversation | null {
  if (surface === "terminal") return null;
  const known = (table: "bindings" | "outbox", key: SessionKey) =>
    db.get<{ conversation: string }>(`SELECT conversation FROM ${table} WHERE key = +? LIMIT 1`, key)?.conversation;
  const found = known("bindings", surface) ?? known("outbox", surface);
  if (found !== undefined) return JSON.parse(found) as Conversation;
  return turn.author === null
    ? null
    : ((JSON.parse(turn.author) as { conversation?: Conversation }).conversation ?? null);
}
