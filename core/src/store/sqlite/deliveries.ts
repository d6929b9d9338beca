import type { StoredError } from "../../base/errors.ts";
import type { UndeliveredMessage, UndeliveredState } from "../../model/delivery.ts";
import type { OutboxId } from "../../model/outbox.ts";
import type { DeliveryStore } from "../message-stores.ts";
import type { Context } from "./connection.ts";
import { steadyIn } from "./expiry.ts";
import { settleOffer } from "./offer-rows.ts";
import {
  type BareOutboxRow,
  enqueue,
  indexedRows,
  isByHandOnly,
  mayBeAlive,
  outboxRows,
  type StoredOutboxRow,
  toOutboxRow,
} from "./outbox-rows.ts";

/** The conditions of the indexes `outbox_undelivered` and `outbox_of_lane`: any other one scans the whole outbox. */
const UNDELIVERED = "state IN ('failed', 'uncertain')";
const WAITING = "state IN ('queued', 'sending')";

/** What may have arrived is offered again, which tells of it, unless it is held back. */
const IS_TOLD = "(state = 'failed' OR by_hand_only = 1)";

/** A running handoff decides itself what to do with its messages. */
const OF_NO_RUNNING_HANDOFF =
  "NOT EXISTS (SELECT 1 FROM handoffs WHERE handoffs.id = outbox.handoff_id AND handoffs.state = 'running')";

export function sqliteDeliveries(context: Context): DeliveryStore {
  const { db, clock } = context;
  return {
    list: ({ waiting = false, limit }) =>
      db.read(() => {
        const rows = newestRows(context, "outbox_undelivered", UNDELIVERED, limit);
        const others = waiting ? newestRows(context, "outbox_of_lane", WAITING, limit) : [];
        return messagesOf(context, [...rows, ...others])
          .sort(newestFirst)
          .slice(0, limit);
      }),

    get: (id) => db.read(() => messagesOf(context, openRowsWith(context, id))[0] ?? null),

    async offer(at, notices, limit) {
      // Called before every turn, and mostly there is nothing to offer: then no write is needed.
      if ((await db.read(() => offerable(context, at.key))).length === 0) return [];
      return db.write(() => {
        const byMessage = Map.groupBy(offerable(context, at.key), (row) => row.message_id);
        const pieces = [...byMessage.values()].slice(0, limit).flat();
        if (pieces.length === 0) return [];
        const messages = messagesOf(context, pieces);
        const told = messages.some(({ message }) => message.tellsOf !== undefined) ? { tellsOf: {} } : {};
        const notice = {
          ...at,
          message: { ...(pieces.some(isUncertain) ? notices.uncertain : notices.failed), ...told },
        };
        // Whoever may not read what it stands above is not told that there is something.
        const sessionId = messages.find((message) => message.sessionId !== null)?.sessionId;
        const [noticeId] = enqueue(context, [notice], { sessionId });
        for (const { id } of messages) requeue(context, id, noticeId ?? null);
        return messages;
      });
    },

    retry: (id, saw) =>
      db.write(() => {
        const [message] = messagesOf(context, openRowsWith(context, id));
        if (message && saw && (message.key !== saw.key || (message.isHeldBack && !saw.isHeldBack))) return false;
        return requeue(context, id, null) > 0;
      }),

    drop: (id) =>
      db.write(() => {
        const dropped = db.run(
          `UPDATE outbox SET state = 'cancelled'
           WHERE message_id = (SELECT message_id FROM outbox WHERE id = ?)
             AND state IN ('failed', 'uncertain', 'queued') AND ${OF_NO_RUNNING_HANDOFF}`,
          id,
        );
        if (dropped > 0) settleOffer(context, id, false);
        return dropped > 0;
      }),

    untold: (limit) =>
      db.read(() => {
        const isUntold = `${UNDELIVERED} AND ${IS_TOLD} AND told_at IS NULL AND ${OF_NO_RUNNING_HANDOFF}`;
        return messagesOf(context, newestRows(context, "outbox_undelivered", isUntold, limit))
          .filter(({ isUnderWay }) => !isUnderWay)
          .sort(newestFirst)
          .reverse();
      }),

    tell: (id, outbox) =>
      db.write(() => {
        const told = db.run(
          `UPDATE outbox SET told_at = ?
           WHERE message_id = (SELECT message_id FROM outbox WHERE id = ?) AND told_at IS NULL AND ${UNDELIVERED} AND ${IS_TOLD}`,
          clock.now(),
          id,
        );
        if (told > 0) enqueue(context, outbox, {});
      }),
  };
}

/** The rows of the newest `limit` messages. Only their texts are read, since texts may be long. */
function newestRows(
  context: Context,
  index: "outbox_undelivered" | "outbox_of_lane",
  condition: string,
  limit: number,
): StoredOutboxRow[] {
  return indexedRows(
    context,
    index,
    `WHERE ${condition} AND message_id IN (
       SELECT message_id FROM outbox INDEXED BY ${index} WHERE ${condition}
       GROUP BY message_id ORDER BY max(created_at) DESC, message_id DESC LIMIT ?
     )`,
    limit,
  );
}

/** The undelivered rows of a lane that were not offered yet, in order. */
function offerable(context: Context, key: string): StoredOutboxRow[] {
  return indexedRows(
    context,
    "outbox_undelivered",
    `WHERE key = +? AND ${UNDELIVERED} AND offered_at IS NULL AND by_hand_only = 0 AND ${OF_NO_RUNNING_HANDOFF} ORDER BY position, part`,
    key,
  );
}

/** The pieces of a message that have not arrived; `id` may be that of any of its pieces. */
function openRowsWith(context: Context, id: OutboxId): StoredOutboxRow[] {
  return outboxRows(
    context,
    `WHERE message_id = (SELECT message_id FROM outbox WHERE id = ?)
       AND state IN ('failed', 'uncertain', 'queued', 'sending') ORDER BY part`,
    id,
  );
}

/** Whether a row is sent as a message, and does not only edit one: the edit of a question that is over stays one. */
const IS_MESSAGE = "edits IS NULL AND approval_part IS NOT 'closes'";

/**
 * Queues the failed and uncertain pieces of a message again, at the end of their lane. Returns how many there are. One that
 * was the last edit of a message that grew becomes a message of its own: that edit may have been made, or cannot be, and
 * whoever reads is to find it there, below its notice. Under its former key it would be what the platform had before.
 */
function requeue({ db, clock }: Context, id: OutboxId, noticeId: OutboxId | null): number {
  const message = db.get<{ key: string; message_id: number }>("SELECT key, message_id FROM outbox WHERE id = ?", id);
  if (!message) return 0;
  const last = db.get<{ position: number }>("SELECT max(position) AS position FROM outbox WHERE key = ?", message.key);
  return db.run(
    `UPDATE outbox SET
       state = 'queued', position = $position, attempts = 0, due_at = $now, due_steady = $steady, offered_by = $notice,
       refused_late = refused_late + (receipt_message_id IS NOT NULL OR (draft_message_id IS NOT NULL AND ${IS_MESSAGE})),
       draft_message_id = iif(${IS_MESSAGE}, NULL, draft_message_id), draft_key = NULL,
       receipt = NULL, receipt_message_id = NULL, confirmed = 0, told_at = iif($notice IS NULL, NULL, told_at)
     WHERE message_id = $message AND ${UNDELIVERED} AND ${OF_NO_RUNNING_HANDOFF}`,
    {
      ...{ message: message.message_id, position: (last?.position ?? 0) + 1, notice: noticeId },
      ...{ now: clock.now(), steady: steadyIn(clock, 0) },
    },
  );
}

function messagesOf(context: Context, rows: readonly StoredOutboxRow[]): UndeliveredMessage[] {
  const byMessage = Map.groupBy(rows, (row) => row.message_id);
  return [...byMessage.values()].map((pieces) => {
    const [first] = pieces.toSorted((a, b) => a.part - b.part) as [StoredOutboxRow];
    // The worst state of a piece is that of the message.
    const telling = pieces.find(({ state }) => state === "failed") ?? pieces.find(isUncertain) ?? first;
    const { id, key, conversation, message, sessionId, createdAt } = toOutboxRow(context, first);
    const all = context.db.get<{ count: number }>(
      "SELECT count(*) AS count FROM outbox WHERE message_id = ?",
      first.message_id,
    );
    return {
      id,
      key,
      conversation,
      message,
      sessionId,
      createdAt,
      state: stateOf(telling),
      pieces: { left: pieces.length, all: all?.count ?? pieces.length },
      attempts: Math.max(...pieces.map(({ attempts }) => attempts)),
      dueAt: first.due_at,
      toldAt: first.told_at,
      error: errorOf(telling),
      wasOffered: pieces.some(({ offered_at: at }) => at !== null),
      isHeldBack: pieces.some(isByHandOnly),
      isUnderWay: pieces.some((row) => isHeldBackInCall(row) && mayBeAlive(context, row)),
    };
  });
}

function isUncertain({ state }: StoredOutboxRow): boolean {
  return state === "uncertain";
}

/** Whether a row is held back since its call began, and the call has not ended. */
function isHeldBackInCall(row: BareOutboxRow): boolean {
  return row.state === "uncertain" && isByHandOnly(row) && row.error_code !== "PLATFORM_UNCERTAIN";
}

function stateOf({ state }: StoredOutboxRow): UndeliveredState {
  return state === "failed" || state === "uncertain" ? state : "waiting";
}

function errorOf({ error_code: code, error_text: text }: StoredOutboxRow): StoredError | null {
  return code === null ? null : { code, text: text ?? "" };
}

function newestFirst(a: UndeliveredMessage, b: UndeliveredMessage): number {
  return b.createdAt - a.createdAt;
}
