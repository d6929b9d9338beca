import type { OutboxId, OutboxState } from "../../model/outbox.ts";
import type { Context } from "./connection.ts";
import type { BareOutboxRow } from "./outbox-rows.ts";

/** What a row was before it was queued below a notice. */
const FORMER_STATE = "CASE error_code WHEN 'PLATFORM_UNCERTAIN' THEN 'uncertain' ELSE 'failed' END";

/**
 * Settles an offer when its notice is settled: if the notice was sent, its messages count as offered; otherwise they get
 * their former state back. Returns false if the row is not such a notice. For use inside a transaction.
 */
export function settleOffer({ db, clock }: Context, noticeId: OutboxId, isSent: boolean): boolean {
  const offered = isSent
    ? db.run("UPDATE outbox SET offered_at = ? WHERE offered_by = ? AND offered_at IS NULL", clock.now(), noticeId)
    : db.run(
        `UPDATE outbox SET state = ${FORMER_STATE}, offered_by = NULL WHERE offered_by = ? AND state = 'queued'`,
        noticeId,
      );
  return offered > 0;
}

/**
 * Takes an offer back whose notice was sent, and refused later: its messages that were refused, or are yet, are offered
 * anew, and so are those that wait still, or do once the call for them has failed. Returns false if the row is not such a
 * notice. For use inside a transaction.
 */
export function takeOfferBack({ db }: Context, noticeId: OutboxId): boolean {
  return (
    db.run(
      `UPDATE outbox SET
         state = iif(state = 'queued', ${FORMER_STATE}, state),
         offered_by = iif(state = 'queued', NULL, offered_by), offered_at = NULL
       WHERE offered_by = ?`,
      noticeId,
    ) > 0
  );
}

/** Whether a row is the notice of an offer that is not settled yet. For use inside a transaction. */
export function isOffer({ db }: Context, noticeId: OutboxId): boolean {
  return db.get("SELECT 1 FROM outbox WHERE offered_by = ? AND state = 'queued' LIMIT 1", noticeId) !== undefined;
}

/**
 * Whether a queued row may be sent as far as its offer goes. What may have arrived is never said again without its notice,
 * whatever became of that: its offer is taken back. A notice with nothing below it any more is cancelled. For use inside a
 * transaction.
 */
export function maySendOffered(context: Context, { id, offered_by: noticeId, offered_at: at }: BareOutboxRow): boolean {
  const { db } = context;
  if (noticeId !== null && at === null) {
    const notice = db.get<{ state: OutboxState }>("SELECT state FROM outbox WHERE id = ?", noticeId);
    if (notice?.state !== "queued" && notice?.state !== "sending") settleOffer(context, noticeId, false);
    return false;
  }
  const isNotice = db.get("SELECT 1 FROM outbox WHERE offered_by = ? LIMIT 1", id) !== undefined;
  if (!isNotice || isOffer(context, id)) return true;
  db.run("UPDATE outbox SET state = 'cancelled' WHERE id = ?", id);
  return false;
}
