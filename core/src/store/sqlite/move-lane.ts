import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { bindingRow, moveBindingRow } from "./binding-rows.ts";
import { codeRows, isGuests } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { enqueue } from "./outbox-rows.ts";
import { moveQuestions, showQuestionsOf } from "./questions.ts";

interface Lane {
  readonly key: SessionKey;
  readonly conversation: Conversation;
}

/**
 * Moves the unsent rows of a deleted thread, its binding and its open questions to another lane. The rows go after
 * those that wait there, and after the notice. For use inside a transaction.
 */
export function leaveLane(
  context: Context,
  from: SessionKey,
  to: Lane,
  notice?: Pick<NewOutboxEntry, "message" | "sessionId">,
): void {
  if (from === to.key) return;
  if (notice !== undefined) enqueue(context, [{ ...to, ...notice }], {});
  moveWithoutMessages(context, from, to);
  moveWhatLeadsThere(context, from, to, false);
}

/** Moves a lane of a chat that has another id now, where nothing of it can be edited. For use inside a transaction. */
export function moveLane(context: Context, from: SessionKey, to: Lane): void {
  moveWithoutMessages(context, from, to);
  moveWhatLeadsThere(context, from, to, true);
}

function moveWithoutMessages(context: Context, from: SessionKey, to: Lane): void {
  moveQuestions(context, from, to);
  // The draft to edit is gone with its thread, so the answer is sent as a new message.
  moveRows(context, from, to, ", draft_message_id = NULL, draft_key = NULL", `AND ${UNSENT}`);
  context.db.run("DELETE FROM drafts WHERE key = ?", from);
  context.db.run("DELETE FROM places WHERE key = ?", from);
}

/**
 * Moves the lane of a thread that has another name or chat now, with the messages in it: what was sent there can still be
 * edited, so no question is asked anew and an answer that grows goes on. For use inside a transaction.
 */
export function moveLaneWithMessages(context: Context, from: SessionKey, to: Lane): void {
  moveRows(context, from, to);
  const { db } = context;
  db.run("UPDATE drafts SET key = ?, conversation = ? WHERE key = ?", to.key, JSON.stringify(to.conversation), from);
  moveWhatLeadsThere(context, from, to, true);
}

function moveWhatLeadsThere(context: Context, from: SessionKey, to: Lane, isSamePlace: boolean): void {
  movePass(context, from, to);
  moveBinding(context, from, to, isSamePlace);
  moveWaitingTurns(context, from, to.key);
}

function moveWaitingTurns({ db }: Context, from: SessionKey, to: SessionKey): void {
  db.run("UPDATE turns SET surface = ? WHERE surface = ? AND ended_at IS NULL AND state = 'waiting'", to, from);
  db.run("UPDATE turns SET decided_on = ? WHERE decided_on = ? AND ended_at IS NULL", to, from);
  for (const column of ["turn_surface", "from_surface", "left_surface"] as const) {
    db.run(`UPDATE handoffs SET ${column} = ? WHERE ${column} = ? AND ended_at IS NULL`, to, from);
  }
}

const UNSENT = "state IN ('queued', 'sending', 'uncertain', 'failed')";

function moveRows({ db }: Context, from: SessionKey, to: Lane, changes = "", condition = ""): void {
  const last = db.get<{ position: number }>(
    "SELECT coalesce(max(position), 0) AS position FROM outbox WHERE key = ?",
    to.key,
  );
  db.run(
    `UPDATE outbox SET
       key = $key, position = position + $behind, conversation = $conversation, platform = $platform,
       account = $account${changes}
     WHERE key = $from ${condition}`,
    {
      from,
      key: to.key,
      behind: last?.position ?? 0,
      conversation: JSON.stringify(to.conversation),
      platform: to.conversation.platform,
      account: to.conversation.account ?? "",
    },
  );
}

/** The pass by which a conversation leads to its session leads there from its new place. */
function movePass(context: Context, from: SessionKey, to: Lane): void {
  for (const { number } of codeRows(context, "kind = 'pass' AND state = 'taken' AND key = +?", from)) {
    context.db.run(
      "UPDATE codes SET key = $key, who = json_set(who, '$.surface', $key, '$.conversation', json($at)) WHERE number = $number",
      { number, key: to.key, at: JSON.stringify(to.conversation) },
    );
  }
}

function moveBinding(context: Context, from: SessionKey, to: Lane, isSamePlace: boolean): void {
  const { db } = context;
  const moved = bindingRow(context, from);
  if (!moved) return;
  moveBindingRow(context, moved, to, isSamePlace);
  for (const column of ["last_surface", "left_surface"]) {
    db.run(`UPDATE sessions SET ${column} = ? WHERE id = ? AND ${column} = ?`, to.key, moved.session_id, from);
  }
  // What is asked shows what the tools are to do, which is no guest's to read.
  if (!isGuests(context, to.key)) showQuestionsOf(context, moved.session_id, to);
  if (moved.handoff_id === null) return;
  db.run(
    "UPDATE handoffs SET conversation = ?, place = NULL, link = NULL WHERE id = ? AND state = 'running'",
    JSON.stringify(to.conversation),
    moved.handoff_id,
  );
}
