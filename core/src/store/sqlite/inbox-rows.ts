import type { InboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { digestOf } from "../../base/digest.ts";
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
    digest: digestOf(row.message ?? ""),
  };
}

/** A row that is not done; undefined where it is, or is unknown: its tombstone was pruned. */
export function openInboxRow({ db }: Context, id: InboxId): InboxRow | undefined {
  const row = db.get<StoredInboxRow>("SELECT * FROM inbox WHERE id = ? AND done_at IS NULL", id);
  return row && toInboxRow(row);
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
