import { unansweredNotice } from "../../model/approval.ts";
import { TOOL_NOT_ANSWERED } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import { type ApprovalRow, approvalRows, isExpired, toApproval } from "./approval-rows.ts";
import { closeTurn, tellPlaceOf } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { turnRow } from "./turn-rows.ts";

/** The two ways in which a question may have expired. This looks at no question that is not due. */
export const DUE = `
SELECT number, turn_id, expires_at, expires_steady FROM approvals WHERE state = 'open' AND expires_at <= +?
UNION ALL
SELECT number, turn_id, expires_at, expires_steady FROM approvals
WHERE state = 'open' AND substr(expires_steady, instr(expires_steady, ' ') + 1) = +?
  AND CAST(expires_steady AS REAL) <= +?`;

type DueRow = Pick<ApprovalRow, "turn_id" | "expires_at" | "expires_steady"> & { readonly number: number };

/** The turns that wait for an answer that nobody gave in time. */
function unansweredTurns(context: Context): TurnId[] {
  const { db, clock } = context;
  const { boot, ms } = clock.steady();
  const due = db.all<DueRow>(DUE, clock.now(), boot, ms);
  if (due.length === 0) return [];
  const expired = due.filter((row) => isExpired(context, row)).toSorted((a, b) => a.number - b.number);
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

/**
 * The same for what mostly waits for nobody: only where `mayWait` says that something of what was found does, it is asked
 * whether an approval has expired, and read again.
 */
export async function unlessWaiting<T>(context: Context, read: () => T, mayWait: (found: T) => boolean): Promise<T> {
  const found = await context.db.read(read);
  return mayWait(found) ? whenSettled(context, read) : found;
}
