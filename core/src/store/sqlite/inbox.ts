import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import type { AcceptResult, InboxId } from "../../model/inbox.ts";
import type { Inbox } from "../message-stores.ts";
import type { Context } from "./connection.ts";
import { finishInbox, type StoredInboxRow, toInboxRow } from "./inbox-rows.ts";
import { openKeys } from "./open-keys.ts";
import { enqueue } from "./outbox-rows.ts";
import { saidIn } from "./said.ts";

export function sqliteInbox(context: Context): Inbox {
  const { db } = context;
  return {
    acceptInbound: (key, message, outbox = []) =>
      db.write(() => {
        const result = accept(context, key, message);
        if (result.outcome === "accepted" || result.outcome === "replaced") enqueue(context, outbox, {});
        return result;
      }),

    head: (key) =>
      db.read(() => {
        // The index is forced: otherwise SQLite picks one that scans a month of tombstones first.
        const row = db.get<StoredInboxRow>(
          "SELECT * FROM inbox INDEXED BY inbox_of_lane WHERE key = +? AND done_at IS NULL ORDER BY number LIMIT 1",
          key,
        );
        return row ? toInboxRow(row) : null;
      }),

    hasRows: (key) =>
      db.read(() => db.get("SELECT 1 FROM inbox INDEXED BY inbox_by_key WHERE key = +? LIMIT 1", key) !== undefined),

    next: (id) =>
      db.read(() => {
        const row = db.get<StoredInboxRow>(
          `SELECT * FROM inbox INDEXED BY inbox_of_lane
           WHERE key = (SELECT +key FROM inbox WHERE id = $id) AND done_at IS NULL
             AND number > (SELECT number FROM inbox WHERE id = $id)
           ORDER BY number LIMIT 1`,
          { id },
        );
        return row ? toInboxRow(row) : null;
      }),

    openLanes: (platform, account) =>
      db.read(() => openKeys(context, "inbox", "done_at IS NULL", platform, account ?? "")),

    settle: (id, outbox) =>
      db.write(() => {
        if (finishInbox(context, id)) enqueue(context, outbox, {});
      }),

    retract: (at, messageId, by) =>
      db.write(() => {
        const row = rowOf(context, at, messageId);
        if (row?.state !== "queued") return false;
        // Message ids may be unique only per sender: this keeps one person from deleting another's message.
        if (by !== undefined && !isSamePerson(toInboxRow(row).message.sender, by)) return false;
        return finishInbox(context, row.id);
      }),

    said: (at, messageId) => db.read(() => saidIn(context, at, messageId)),
  };
}

function accept(context: Context, key: SessionKey, message: InboundMessage): AcceptResult {
  const { db, clock, ids } = context;
  const { platform, account } = message.conversation;
  const chat = buildSessionKey(chatOf(message.conversation));
  const known = rowOf(context, message.conversation, message.messageId);
  if (known) return message.isEdit ? edit(context, known, message) : { outcome: "duplicate" };
  // The edited message was never accepted: it was written before Hermes listened, or its author was refused.
  if (message.isEdit) return { outcome: "ignored" };
  const isBeforeRestore = message.sentAt <= restoredAt(context);

  const row: StoredInboxRow = {
    id: ids.next("inb") as InboxId,
    key,
    message: JSON.stringify(message),
    state: "queued",
    received_at: clock.now(),
  };
  db.run(
    `INSERT INTO inbox (id, key, platform, account, chat, message_id, message, state, received_at)
     VALUES ($id, $key, $platform, $account, $chat, $messageId, $message, $state, $received_at)`,
    { ...row, platform, account: account ?? "", chat, messageId: message.messageId },
  );
  if (isBeforeRestore) {
    // Kept as done, so that it counts as new once only.
    finishInbox(context, row.id);
    return { outcome: "before-restore" };
  }
  return { outcome: "accepted", row: toInboxRow(row) };
}

/** Until when a restored backup cannot tell what was answered, in milliseconds since 1970. */
function restoredAt({ db }: Context): number {
  return db.get<{ at: number }>("SELECT at FROM restored ORDER BY at DESC LIMIT 1")?.at ?? Number.NEGATIVE_INFINITY;
}

function rowOf({ db }: Context, at: Conversation, messageId: string): StoredInboxRow | undefined {
  const chat = buildSessionKey(chatOf(at));
  return db.get<StoredInboxRow>("SELECT * FROM inbox WHERE chat = ? AND message_id = ?", chat, messageId);
}

function isSamePerson(one: Sender, other: Sender): boolean {
  const ids = [one.id, ...(one.aliases ?? [])];
  return [other.id, ...(other.aliases ?? [])].some((id) => ids.includes(id));
}

function edit({ db }: Context, known: StoredInboxRow, message: InboundMessage): AcceptResult {
  if (known.state !== "queued") return { outcome: "ignored" };
  const { message: waiting } = toInboxRow(known);
  // Message ids may be unique only per sender: this keeps one person from editing another's message.
  if (!isSamePerson(waiting.sender, message.sender)) return { outcome: "ignored" };
  const { text, attachments, quotes, items, refersTo, unreadable } = message;
  const edited: InboundMessage = {
    ...waiting,
    text,
    // What is left out stays; an empty list takes away what was there.
    ...(attachments && { attachments }),
    ...(quotes && { quotes }),
    ...(items && { items }),
    ...(refersTo && { refersTo }),
    ...(unreadable && { unreadable }),
  };
  const row = { ...known, message: JSON.stringify(edited) };
  db.run("UPDATE inbox SET message = ? WHERE id = ?", row.message, row.id);
  return { outcome: "replaced", row: toInboxRow(row) };
}
