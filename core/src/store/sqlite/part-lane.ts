import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import { bindingOfHandoff, bindingRow, bindingsOf } from "./binding-rows.ts";
import { codeRows, isGuests, revokeRow } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { withholdUnsent } from "./drop-unsent.ts";
import { enqueue } from "./outbox-rows.ts";
import { showQuestionsOf } from "./questions.ts";
import { REVOKED } from "./turn-rows.ts";

/**
 * Parts a place from its session, since others read it from now on at `to`: nothing of a session is said there any more,
 * and `told` is, where it led to one. For use inside a transaction.
 */
export function partLane(
  context: Context,
  from: SessionKey,
  to: { readonly key: SessionKey; readonly conversation: Conversation },
  told: OutboundMessage,
): void {
  const { db } = context;
  for (const pass of codeRows(context, "kind = 'pass' AND state = 'taken' AND key = +?", from)) {
    revokeRow(context, pass);
  }
  const bound = bindingRow(context, from);
  db.run("DELETE FROM bindings WHERE key = ?", from);
  db.run("DELETE FROM places WHERE key = ?", from);
  withholdUnsent(context, from, to);
  // A question that stands there is not edited any more: what was decided is not theirs to read.
  db.run("UPDATE outbox SET approval_id = NULL, approval_part = NULL WHERE key = ?", from);
  moveWaitingTurns(context, from);
  db.run(
    `UPDATE turns SET stop_requested = ${REVOKED} WHERE ended_at IS NULL AND state = 'running' AND surface = ?`,
    from,
  );
  if (bound !== undefined) enqueue(context, [{ ...to, message: told }], {});
}

/**
 * A turn that waits goes on where its session was used last beside, or in the terminal. So does one that a handoff has
 * taken along and may still give back.
 */
function moveWaitingTurns(context: Context, from: SessionKey): void {
  const { db } = context;
  const isWaiting = "ended_at IS NULL AND state = 'waiting'";
  db.run(`UPDATE turns SET decided_on = NULL WHERE decided_on = ? AND ${isWaiting}`, from);
  const waiting = db.all<{ id: TurnId; session_id: SessionId }>(
    `SELECT id, session_id FROM turns WHERE surface = ? AND ${isWaiting}`,
    from,
  );
  for (const { id, session_id: sessionId } of waiting) {
    db.run("UPDATE turns SET surface = ? WHERE id = ?", askElsewhere(context, sessionId), id);
  }
  const taken = db.all<{ id: HandoffId; session_id: SessionId }>(
    "SELECT id, session_id FROM handoffs WHERE turn_surface = ? AND ended_at IS NULL",
    from,
  );
  for (const { id, session_id: sessionId } of taken) {
    const surface = askElsewhere(context, sessionId, bindingOfHandoff(context, id)?.key);
    db.run("UPDATE handoffs SET turn_surface = ? WHERE id = ?", surface, id);
  }
}

/** Where a turn that waits goes on, which is asked there what it waits for. */
function askElsewhere(context: Context, sessionId: SessionId, except?: SessionKey): Surface {
  const elsewhere = bindingsOf(context, sessionId).find(({ key }) => key !== except && !isGuests(context, key));
  if (elsewhere === undefined) return "terminal";
  showQuestionsOf(context, sessionId, elsewhere);
  return elsewhere.key;
}
