import type { Surface } from "../../model/session.ts";
import type { ResumeTurn, ResumeTurnResult } from "../../model/turn.ts";
import { withUnsentFiles } from "../../model/unsent-files.ts";
import type { TurnStore } from "../work-stores.ts";
import { openApprovalsOf } from "./approval-rows.ts";
import { bindingRow } from "./binding-rows.ts";
import { interruptBegunCalls } from "./calls.ts";
import { closeTurn, conversationOf, tellPlaceOf } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { ATTEMPTS, grant } from "./grant-turn.ts";
import { inFlightRow } from "./handoff-rows.ts";
import { sessionRow } from "./session-rows.ts";
import { holdsLease, isResumable, REVOKED, type TurnRow, turnRow } from "./turn-rows.ts";
import { unsentFilesOf } from "./unsent-files.ts";

/** See TurnStore. For use inside a transaction. */
export function resumeTurn(context: Context, request: ResumeTurn): ResumeTurnResult {
  settleExpired(context);
  const turn = turnRow(context, request.turnId);
  const session = turn && sessionRow(context, turn.session_id);
  if (!turn || !session) return { ok: false, reason: "unknown" };
  const refusal = refusalOf(context, turn);
  if (refusal !== null) return { ok: false, reason: refusal };

  const isCutOff = turn.state === "running";
  if (isCutOff && (turn.stop_requested > 0 || turn.attempt >= ATTEMPTS)) {
    closeTurn(context, turn, { why: turn.stop_requested > 0 ? "stopped" : "interrupted" });
    // Whoever reads there may not know of them, where the right to it was lost.
    const files = turn.stop_requested === REVOKED ? [] : unsentFilesOf(context, turn);
    tellPlaceOf(context, turn, () => withUnsentFiles(NOT_GONE_ON_WITH, files));
    return { ok: false, reason: "ended" };
  }
  interruptBegunCalls(context, turn);
  const surface = surfaceOf(context, turn);
  // A message that grew at another place cannot grow here.
  context.db.run("DELETE FROM drafts WHERE turn_id = ? AND completed = 0 AND key != ?", turn.id, surface);
  return grant(context, { ...request, surface }, session, { ...turn, attempt: turn.attempt + (isCutOff ? 1 : 0) });
}

const NOT_GONE_ON_WITH = {
  kind: "notice",
  markdown:
    "Hermes stopped several times while it worked on your last message. It does not go on with it; send it again if you still want it.",
} as const;

/** Why nobody can go on with a turn now; null where somebody can. */
function refusalOf(context: Context, turn: TurnRow): Extract<ResumeTurnResult, { ok: false }>["reason"] | null {
  if (turn.ended_at !== null || turn.compacts === 1) return "ended";
  if (holdsLease(context, turn)) return "held";
  // A handoff's own turn is gone on with by the handoff.
  if (turn.handoff_id !== null || inFlightRow(context, turn.session_id)) return "handoff";
  return openApprovalsOf(context, turn.id).length > 0 ? "open" : null;
}

/** Where a turn goes on: where the last decision was made, if the session is open there, else where it was. */
function surfaceOf(context: Context, { decided_on: decidedOn, surface, session_id: sessionId }: TurnRow): Surface {
  if (decidedOn === null || decidedOn === "terminal") return decidedOn ?? surface;
  return bindingRow(context, decidedOn)?.session_id === sessionId ? decidedOn : surface;
}

/** Finds the open turns that wait for nobody's answer, and none of the others. */
export const UNASKED = "SELECT * FROM turns WHERE ended_at IS NULL AND open_questions = 0 ORDER BY started_at, id";

/** See TurnStore. For use inside a transaction or a read, after expired approvals are settled. */
export function resumableTurns(context: Context, at: Parameters<TurnStore["resumable"]>[0]): TurnRow[] {
  return context.db
    .all<TurnRow>(UNASKED)
    .filter((turn) => isResumable(turn) || (turn.inbox_id === null && turn.handoff_id === null))
    .filter((turn) => isServedAt(context, turn, surfaceOf(context, turn), at) && refusalOf(context, turn) === null)
    .map((turn) => ({ ...turn, surface: surfaceOf(context, turn) }));
}

/** Whether a place of a turn is one of the account's, or the terminal. */
export function isServedAt(
  context: Context,
  turn: TurnRow,
  surface: Surface,
  at: Parameters<TurnStore["resumable"]>[0],
): boolean {
  if (at === "terminal" || surface === "terminal") return at === surface;
  const conversation = conversationOf(context, turn, surface);
  return conversation?.platform === at.platform && (conversation.account ?? "") === (at.account ?? "");
}
