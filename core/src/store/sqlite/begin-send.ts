import type { Piece } from "../../adapter/message.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { OutboxId, OutboxRow } from "../../model/outbox.ts";
import { accountLease } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { leaseOf } from "./leases.ts";
import { maySendOffered } from "./offer-rows.ts";
import { type BareOutboxRow, bareOutboxRow, readOutboxRow, type StoredOutboxRow } from "./outbox-rows.ts";

/** See Outbox. For use inside a transaction. */
export function beginSend(
  context: Context,
  id: OutboxId,
  holder: Holder,
  pieces: readonly [Piece, ...Piece[]],
): OutboxRow | null {
  const row = bareOutboxRow(context, id);
  if (row.state !== "queued") return null;
  if (leaseOf(context, accountLease(row.platform, row.account))?.holder_id !== holder.id) return null;
  if (!maySendOffered(context, row)) return null;
  if (row.edits !== null && !aimEdit(context, row)) return null;
  const [first, ...others] = pieces;
  // What is edited is one message: what does not fit into it is left out.
  if (others.length > 0 && row.edits === null && isWhole(context, id))
    for (const [index, piece] of others.entries()) addPiece(context, id, index + 1, piece);
  context.db.run(
    `UPDATE outbox SET state = 'sending', sender = ?, attempts = attempts + 1, piece = coalesce(piece, ?),
       refused_late = refused_late + ? WHERE id = ?`,
    JSON.stringify(holder),
    JSON.stringify(first),
    isSaidAnew(row) ? 1 : 0,
    id,
  );
  return readOutboxRow(context, id);
}

/**
 * Whether a row that may have arrived is said once more below a notice: that is a message of its own. Under its former key
 * it would be the one above, and nothing would stand below the notice.
 */
function isSaidAnew({
  offered_at: at,
  attempts,
  error_code: code,
  edits,
  approval_part: part,
}: BareOutboxRow): boolean {
  return at !== null && attempts === 0 && code === "PLATFORM_UNCERTAIN" && edits === null && part !== "closes";
}

/** Whether a row was not divided into pieces yet. */
function isWhole({ db }: Context, id: OutboxId): boolean {
  return db.get("SELECT 1 FROM outbox WHERE id = ? AND piece IS NULL", id) !== undefined;
}

/** Finds the message that a row edits; false, and the row is cancelled, where that was not sent here. */
function aimEdit({ db }: Context, { id, key, edits, draft_message_id: known }: EditRow): boolean {
  if (known !== null) return true;
  const messageId = db.get<{ receipt_message_id: string | null }>(
    "SELECT receipt_message_id FROM outbox WHERE id = ? AND key = +? AND state = 'sent'",
    edits,
    key,
  )?.receipt_message_id;
  if (messageId == null) db.run("UPDATE outbox SET state = 'cancelled' WHERE id = ?", id);
  else db.run("UPDATE outbox SET draft_message_id = ? WHERE id = ?", messageId, id);
  return messageId != null;
}

type EditRow = Pick<StoredOutboxRow, "id" | "key" | "edits" | "draft_message_id">;

/** Adds a row for a further piece, at the same position of the lane; the message's own row holds the first piece. */
function addPiece({ db, ids }: Context, of: OutboxId, part: number, piece: Piece): void {
  db.run(
    `INSERT INTO outbox (
       id, key, position, part, platform, account, conversation, message_id, piece, state, session_id, turn_id,
       handoff_id, approval_id, approval_part, offered_at, offered_by, by_hand_only, error_code, error_text, due_at,
       due_steady, created_at
     ) SELECT ?, key, position, ?, platform, account, conversation, message_id, ?, 'queued', session_id, turn_id,
              handoff_id, approval_id, approval_part, offered_at, offered_by, by_hand_only, error_code, error_text, due_at,
              due_steady, created_at
       FROM outbox WHERE id = ?`,
    ids.next("out"),
    part,
    JSON.stringify(piece),
    of,
  );
}
