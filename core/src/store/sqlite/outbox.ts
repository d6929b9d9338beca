import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { ErrorCode } from "../../base/error-table.ts";
import type { Draft } from "../../model/outbox.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Outbox } from "../message-stores.ts";
import { beginSend } from "./begin-send.ts";
import type { Context } from "./connection.ts";
import { leaveLane } from "./move-lane.ts";
import { openKeys } from "./open-keys.ts";
import {
  BARE_COLUMNS,
  type BareOutboxRow,
  enqueue,
  outboxHead,
  readOutboxRow,
  toFacts,
  toOutboxRow,
} from "./outbox-rows.ts";
import { giveBack, settleLate, settleSend } from "./settle-outbox.ts";

const IS_OPEN = "state IN ('queued', 'sending')";

export function sqliteOutbox(context: Context): Outbox {
  const { db } = context;
  return {
    enqueue: (entries) => db.write(() => enqueue(context, entries, {}).map((id) => readOutboxRow(context, id))),

    openLanes: (platform, account) => db.read(() => openKeys(context, "outbox", IS_OPEN, platform, account ?? "")),

    head: (key, behind) =>
      db.read(() => {
        const row = outboxHead(context, key, behind);
        return row ? toOutboxRow(context, row) : null;
      }),

    beginSend: (id, holder, pieces) => db.write(() => beginSend(context, id, holder, pieces)),

    giveBack: (id, holder) => db.write(() => giveBack(context, id, holder)),

    leaveDraft: (id) =>
      db.write(() => {
        db.run("DELETE FROM drafts WHERE send_key = (SELECT draft_key FROM outbox WHERE id = ?)", id);
        db.run("UPDATE outbox SET draft_message_id = NULL, draft_key = NULL WHERE id = ?", id);
        return readOutboxRow(context, id);
      }),

    takeDraft: (id, messageId, shown) =>
      db.write(() => {
        db.run("UPDATE outbox SET draft_message_id = ? WHERE id = ?", messageId, id);
        const row = readOutboxRow(context, id);
        const taken = "UPDATE drafts SET message_id = ?, shown = coalesce(?, shown) WHERE send_key = ?";
        db.run(taken, messageId, shown ?? null, row.draftKey);
        return row;
      }),

    settleSend: (id, outcome, attempt) => db.write(() => settleSend(context, id, outcome, attempt)),

    settleLate: (platform, account, messageId, refusal, chat, key) =>
      db.write(() => settleLate(context, { platform, account: account ?? "", messageId, chat, key }, refusal)),

    ofHandoff: (handoffId) =>
      db.read(() =>
        db
          .all<BareOutboxRow & Pick<OutboundMessage, "kind">>(
            `SELECT ${BARE_COLUMNS},
               (SELECT json_extract(message, '$.kind') FROM outbox_messages WHERE id = outbox.message_id) AS kind
             FROM outbox WHERE handoff_id = ? ORDER BY key, position, part`,
            handoffId,
          )
          .map((row) => ({ ...toFacts(context, row), kind: row.kind })),
      ),

    refusalOf: (handoffId) =>
      db.read(() => {
        const row = db.get<{ error_code: ErrorCode | null; error_text: string | null }>(
          `SELECT error_code, error_text FROM outbox WHERE handoff_id = ? AND (state = 'failed' OR (state = 'uncertain' AND by_hand_only = 1))
           ORDER BY key, position, part LIMIT 1`,
          handoffId,
        );
        return row?.error_code == null ? null : { code: row.error_code, text: row.error_text ?? "" };
      }),

    moveLane: (from, to, notice) => db.write(() => leaveLane(context, from, to, notice)),

    saveDraft: (draft) =>
      db.write(() => {
        db.run(
          `INSERT INTO drafts (send_key, turn_id, key, conversation, message_id, shown) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (send_key) DO UPDATE SET message_id = excluded.message_id, shown = excluded.shown`,
          draft.sendKey,
          draft.turnId,
          draft.key,
          JSON.stringify(draft.conversation),
          draft.messageId,
          draft.shown ?? null,
        );
      }),

    draftOf: (turnId) => db.read(() => draftWhere(context, "turn_id = ? AND completed = 0", turnId)),

    draft: (sendKey) => db.read(() => draftWhere(context, "send_key = ?", sendKey)),

    counts: (platform, account) =>
      db.read(() => {
        const count = (condition: string) =>
          db.get<{ count: number }>(
            `SELECT count(*) AS count FROM outbox WHERE platform = ? AND account = ? AND ${condition}`,
            platform,
            account ?? "",
          )?.count ?? 0;
        return { waiting: count(IS_OPEN), failed: count("state = 'failed'") };
      }),
  };
}

interface DraftRow {
  readonly send_key: string;
  readonly turn_id: TurnId;
  readonly key: SessionKey;
  readonly conversation: string;
  readonly message_id: string | null;
  readonly shown: string | null;
}

function draftWhere({ db }: Context, condition: string, value: string): Draft | null {
  const row = db.get<DraftRow>(`SELECT * FROM drafts WHERE ${condition} LIMIT 1`, value);
  return (
    (row && {
      ...{ sendKey: row.send_key, turnId: row.turn_id, key: row.key, messageId: row.message_id, shown: row.shown },
      conversation: JSON.parse(row.conversation) as Conversation,
    }) ??
    null
  );
}
