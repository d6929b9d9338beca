import type { Piece } from "../../platform/message.ts";
import type { OutboxId, OutboxRow } from "../../session/outbox.ts";
import type { Context } from "./connection.ts";
import { noteDelivered } from "./handoff-rows.ts";
import { bareOutboxRow, readOutboxRow } from "./outbox-rows.ts";

/**
 * Gives each piece a row at the place of the message. The row of the message becomes that of the first piece, so that
 * who comes to it a second time finds it done. For use inside a transaction.
 */
export function expand(context: Context, id: OutboxId, pieces: readonly Piece[]): OutboxRow {
  const { db, ids } = context;
  const row = bareOutboxRow(context, id);
  if (row.piece !== null || row.state !== "queued") return readOutboxRow(context, id);
  const [first, ...others] = pieces;
  if (first === undefined) {
    // Nothing to say: the lane must not stand still before it.
    db.run("UPDATE outbox SET state = 'cancelled' WHERE id = ?", id);
    if (row.handoff_id !== null) noteDelivered(context, row.handoff_id);
    return readOutboxRow(context, id);
  }
  db.run("UPDATE outbox SET piece = ? WHERE id = ?", JSON.stringify(first), id);
  others.forEach((piece, index) => {
    db.run(
      `INSERT INTO outbox (
         id, key, position, part, platform, account, conversation, message_id, piece, state, session_id, turn_id,
         handoff_id, due_at, created_at
       ) SELECT ?, key, position, ?, platform, account, conversation, message_id, ?, 'queued', session_id, turn_id,
                handoff_id, due_at, created_at
         FROM outbox WHERE id = ?`,
      ids.next("out"),
      index + 1,
      JSON.stringify(piece),
      id,
    );
  });
  return readOutboxRow(context, id);
}
