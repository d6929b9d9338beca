import { createHash } from "node:crypto";
import type { InboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { Context } from "./connection.ts";

export interface StoredInboxRow {
  readonly id: InboxId;
  readonly key: SessionKey;
  /** Null once the row is done. */
  readonly message: string | null;
  readonly state: InboxRow["state"];
  readonly received_at: number;
}

/** Converts a `queued` or `running` row; a tombstone has no message. */
export function toInboxRow(row: StoredInboxRow): InboxRow {
  return {
    id: row.id,
    key: row.key,
    message: JSON.parse(row.message ?? "null") as InboundMessage,
    state: row.state,
    receivedAt: row.received_at,
    digest: digestOf(row.message),
  };
}

function digestOf(message: string | null): string {
  return createHash("sha256")
    .update(message ?? "")
    .digest("hex");
}

/** Whether a message is kept otherwise than when its row had that digest. */
export function isInboxChanged({ db }: Context, id: InboxId, digest: string): boolean {
  const row = db.get<Pick<StoredInboxRow, "message">>("SELECT message FROM inbox WHERE id = ?", id);
  return row !== undefined && digestOf(row.message) !== digest;
}

/** Whether a row is done. An unknown row is, too: its tombstone was pruned. */
export function isInboxDone({ db }: Context, id: InboxId): boolean {
  return db.get("SELECT 1 FROM inbox WHERE id = ? AND done_at IS NULL", id) === undefined;
}

/** Marks a row as done. False if it was done already. */
export function finishInbox({ db, clock }: Context, id: InboxId): boolean {
  return (
    db.run(
      "UPDATE inbox SET state = 'done', done_at = ?, message = NULL WHERE id = ? AND done_at IS NULL",
      clock.now(),
      id,
    ) > 0
  );
}
