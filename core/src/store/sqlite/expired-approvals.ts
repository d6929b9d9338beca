import { unansweredNotice } from "../../model/approval.ts";
import { TOOL_NOT_ANSWERED } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import { approvalRows, isExpired, toApproval } from "./approval-rows.ts";
import { closeTurn, tellPlaceOf } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { turnRow } from "./turn-rows.ts";

/** The turns that wait for an answer that nobody gave in time. */
function unansweredTurns(context: Context): TurnId[] {
  const expired = approvalRows(context, "state = 'open' AND expires_at IS NOT NULL").filter((row) =>
    isExpired(context, row),
  );
  return [...new Set(expired.map((row) => row.turn_id))];
}

/** Ends each turn that nobody answered in time, and tells its place. For use inside a transaction. */
export function settleExpired(context: Context): void {
  for (const id of unansweredTurns(context)) {
    const turn = turnRow(context, id);
    if (turn === undefined) continue;
    const open = approvalRows(context, "turn_id = ? AND state = 'open'", id).map(toApproval);
    closeTurn(context, turn, { approvals: "expired", openCalls: TOOL_NOT_ANSWERED });
    tellPlaceOf(context, turn, (isBound) => unansweredNotice(open, isBound));
  }
}

/** Reads, and writes first only if an approval has expired. */
export async function whenSettled<T>(context: Context, read: () => T): Promise<T> {
  const { db } = context;
  const found = await db.read(() => (unansweredTurns(context).length > 0 ? null : { value: read() }));
  if (found !== null) return found.value;
  return db.write(() => {
    settleExpired(context);
    return read();
  });
}
