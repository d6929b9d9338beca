import type { Piece } from "../../adapter/message.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { OutboxId, OutboxRow } from "../../model/outbox.ts";
import { accountLease } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { leaseOf } from "./leases.ts";
import { bareOutboxRow, readOutboxRow } from "./outbox-rows.ts";

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
  const [first, ...others] = pieces;
  const isWhole = row.piece === null;
  context.db.run(
    "UPDATE outbox SET state = 'sending', attempts = attempts + 1, piece = coalesce(piece, ?) WHERE id = ?",
    isWhole ? JSON.stringify(first) : null,
    id,
  );
  if (isWhole) for (const [index, piece] of others.entries()) addPiece(context, id, index + 1, piece);
  return readOutboxRow(context, id);
}

/** Adds a row for a further piece, at the same position of the lane; the message's own row holds the first piece. */
function addPiece({ db, ids }: Context, of: OutboxId, part: number, piece: Piece): void {
  db.run(
    `INSERT INTO outbox (
       id, key, position, part, platform, account, conversation, message_id, piece, state, session_id, turn_id,
       handoff_id, approval_id, approval_part, due_at, due_steady, created_at
     ) SELECT ?, key, position, ?, platform, account, conversation, message_id, ?, 'queued', session_id, turn_id,
              handoff_id, approval_id, approval_part, due_at, due_steady, created_at
       FROM outbox WHERE id = ?`,
    ids.next("out"),
    part,
    JSON.stringify(piece),
    of,
  );
}
