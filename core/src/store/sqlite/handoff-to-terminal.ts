import type { HandoffId, RequestResult, ToTerminal } from "../../model/handoff.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { addStep, handoffOf, handoffRows, inFlightRow, toHandoff } from "./handoff-rows.ts";
import { enqueue } from "./outbox-rows.ts";
import { sessionRow } from "./session-rows.ts";
import { liveTurn, openTurn } from "./turn-rows.ts";

/** See HandoffStore. For use inside a transaction. */
export function toTerminal(context: Context, { sessionId, from, left }: ToTerminal): RequestResult {
  const { db, clock, ids } = context;
  const session = sessionRow(context, sessionId);
  if (!session) return { ok: false, reason: "unknown_session" };
  const inFlight = inFlightRow(context, sessionId);
  if (inFlight) return { ok: false, reason: "in_flight", handoff: toHandoff(context, inFlight) };
  settleExpired(context);

  const live = liveTurn(context, sessionId);
  const latest = handoffRows(context, "WHERE session_id = ? ORDER BY number DESC LIMIT 1", sessionId)[0];
  // Asked for again while the same turn runs: the place that it leaves was told.
  if (live && latest?.platform === "terminal" && latest.requested_at >= live.started_at) {
    return { ok: true, handoff: toHandoff(context, latest) };
  }
  const id = ids.next("hof") as HandoffId;
  const now = clock.now();
  db.run("UPDATE handoffs SET offered = 0 WHERE session_id = ? AND offered = 1", sessionId);
  db.run(
    `INSERT INTO handoffs (id, session_id, from_surface, left_surface, platform, state, step, requested_at, expires_at,
       ended_at, mark, offered)
     VALUES (?, ?, ?, ?, 'terminal', 'completed', 'delivered', ?, ?, ?, ?, 1)`,
    id,
    sessionId,
    from ?? session.last_surface,
    session.last_surface,
    now,
    now,
    now,
    ids.next("mark"),
  );
  addStep(context, id, "pending");
  addStep(context, id, "completed");
  const turn = openTurn(context, sessionId);
  if (turn?.state === "waiting") {
    db.run("UPDATE turns SET surface = 'terminal', decided_on = NULL WHERE id = ?", turn.id);
  }
  // While a turn runs, its place is where the session is.
  if (!live) db.run("UPDATE sessions SET last_surface = 'terminal', left_surface = NULL WHERE id = ?", sessionId);
  if (left) enqueue(context, [left], {});
  return { ok: true, handoff: handoffOf(context, id) };
}
