import { createHash } from "node:crypto";
import { openToolCalls } from "../../model/call-results.ts";
import type { ForkSession, Session, SessionId } from "../../model/session.ts";
import { titleOfFork } from "../../model/title.ts";
import { FORKED_TURN, TOOL_LEFT_IN_FORK } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import { addMessages, type MessageRow, toMessage } from "./messages.ts";
import { type SessionRow, sessionRow, toSession, unknownSession } from "./session-rows.ts";
import { foldCase } from "./text.ts";
import { freeTitle, type TitledSession } from "./titles.ts";
import { openTurn } from "./turn-rows.ts";

/** See SessionStore. For use inside a transaction. */
export function forkSession(context: Context, { sessionId, upTo, user, surface, once }: ForkSession): Session {
  const source = sessionRow(context, sessionId);
  if (source === undefined) throw unknownSession(sessionId);
  const id = (once === undefined ? context.ids.next("ses") : idOf(sessionId, once)) as SessionId;
  const there = sessionRow(context, id);
  if (there !== undefined) return toSession(there);
  copySession(context, source, { id, user, origin: source.origin, surface });
  copyMessages(context, sessionId, id, upTo ?? source.last_seq);
  copyCompactions(context, sessionId, id, upTo ?? source.last_seq);
  closeCalls(context, id);
  closeOpenTurn(context, sessionId, id);
  const fork = sessionRow(context, id);
  if (fork === undefined) throw unknownSession(id);
  return toSession(fork);
}

/** The same for the same request. */
function idOf(sessionId: SessionId, once: string): string {
  return `ses_${createHash("sha256")
    .update(JSON.stringify([sessionId, once]))
    .digest("hex")
    .slice(0, 21)}`;
}

function copySession({ db, clock }: Context, source: SessionRow, fork: TitledSession): void {
  const { id, user } = fork;
  const title = freeTitle(db, titleOfFork(source.title), fork);
  db.run(
    `INSERT INTO sessions (
       id, title, title_folded, user, origin, origin_chat, model, working_directory, mode, last_surface, unmarked_until,
       created_at, updated_at
     ) VALUES (
       $id, $title, $title_folded, $user, $origin, $origin_chat, $model, $working_directory, $mode, $last_surface,
       $unmarked_until, $now, $now
     )`,
    {
      ...{ id, title, title_folded: foldCase(title), user, now: clock.now() },
      ...{ origin: source.origin, origin_chat: source.origin_chat, model: source.model },
      ...{ working_directory: source.working_directory, mode: source.mode },
      ...{ last_surface: source.last_surface, unmarked_until: source.unmarked_until },
    },
  );
}

/** Their turns are not copied: each row keeps which others it belongs to, and where it was said. */
function copyMessages({ db }: Context, from: SessionId, to: SessionId, upTo: number): void {
  db.run(
    `INSERT INTO messages (
       session_id, seq, turn_id, role, text, tool_calls, tool_call_id, provider_parts, files, internal, surface, created_at
     )
     SELECT $to, seq, $to || '.' || turn_id, role, text, tool_calls, tool_call_id, provider_parts, files, internal,
       coalesce(messages.surface, turns.surface), created_at
     FROM messages LEFT JOIN turns ON turns.id = messages.turn_id
     WHERE messages.session_id = $from AND seq <= $upTo AND hidden_at IS NULL ORDER BY seq`,
    { from, to, upTo },
  );
  db.run(
    `UPDATE sessions SET (message_count, tool_call_count, last_seq) = (
       SELECT count(*), coalesce(sum(json_array_length(tool_calls)), 0), coalesce(max(seq), 0)
       FROM messages WHERE session_id = $to
     ) WHERE id = $to`,
    { to },
  );
}

/** The copy is as long for its model as the session, no longer. */
function copyCompactions({ db }: Context, from: SessionId, to: SessionId, upTo: number): void {
  db.run(
    `INSERT INTO compactions (
       session_id, turn_id, up_to, told_at, summary, facts, work, messages, tokens_before, tokens_after, created_at
     )
     SELECT $to, $to || '.' || turn_id, up_to, min(told_at, $upTo), summary, facts, work, messages, tokens_before,
       tokens_after, created_at
     FROM compactions WHERE session_id = $from AND up_to <= $upTo ORDER BY number`,
    { from, to, upTo },
  );
}

function closeCalls(context: Context, id: SessionId): void {
  const rows = context.db
    .all<MessageRow>("SELECT * FROM messages WHERE session_id = ? ORDER BY seq", id)
    .map(toMessage);
  for (const [turnId, ofTurn] of Map.groupBy(rows, (row) => row.turnId)) {
    const results = openToolCalls(ofTurn).map((call) => {
      return { role: "tool", text: TOOL_LEFT_IN_FORK, toolCallId: call.id } as const;
    });
    addMessages(context, id, turnId, results);
  }
}

function closeOpenTurn(context: Context, from: SessionId, to: SessionId): void {
  const open = openTurn(context, from);
  if (!open) return;
  const turnId = `${to}.${open.id}` as TurnId;
  const isThere = context.db.get("SELECT 1 FROM messages WHERE session_id = ? AND turn_id = ?", to, turnId);
  if (isThere === undefined) return;
  addMessages(context, to, turnId, [{ role: "assistant", text: FORKED_TURN, internal: true }]);
}
