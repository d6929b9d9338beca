import type { InboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { Context } from "./connection.ts";

export interface StoredInboxRow {
  readonly id: InboxId;
  readonly key: SessionKey;
  /** Null once it is done. */
  readonly message: string | null;
  readonly state: InboxRow["state"];
  readonly received_at: number;
}

/** `queued` or `running`: a tombstone has no message any more. */
export function toInboxRow(row: StoredInboxRow): InboxRow {
  return {
    id: row.id,
    key: row.key,
    message: JSON.parse(row.message ?? "null") as InboundMessage,
    state: row.state,
    receivedAt: row.received_at,
  };
}

/** Whether a row is done; one that is not known was done so long ago that its tombstone is gone. */
export function isInboxDone({ db }: Context, id: InboxId): boolean {
  return db.get("SELECT 1 FROM inbox WHERE id = ? AND done_at IS NULL", id) === undefined;
}

/** → done. False when it was. */
export function finishInbox({ db, clock }: Context, id: InboxId): boolean {
  return (
    db.run(
      "UPDATE inbox SET state = 'done', done_at = ?, message = NULL WHERE id = ? AND done_at IS NULL",
      clock.now(),
      id,
    ) > 0
  );
}
