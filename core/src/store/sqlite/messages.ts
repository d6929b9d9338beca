import type { SentFile } from "../../base/file-ref.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { NewMessage, ProviderParts, Role, ToolCall, TranscriptMessage } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import { readable } from "./text.ts";

export interface MessageRow {
  readonly session_id: SessionId;
  readonly seq: number;
  readonly turn_id: TurnId | null;
  readonly role: Role;
  readonly text: string;
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly provider_parts: string | null;
  readonly files: string | null;
  readonly internal: number;
  readonly surface: Surface | null;
  readonly created_at: number;
}

export function toMessage(row: MessageRow): TranscriptMessage {
  const message = {
    sessionId: row.session_id,
    seq: row.seq,
    turnId: row.turn_id,
    role: row.role,
    text: row.text,
    internal: row.internal === 1,
    surface: row.surface,
    createdAt: row.created_at,
  };
  // Most have none of this, and whole transcripts are read at once.
  const isBare = row.tool_calls === null && row.tool_call_id === null && row.provider_parts === null;
  return isBare && row.files === null ? message : { ...message, ...extrasOf(row) };
}

function extrasOf(row: MessageRow): Pick<TranscriptMessage, "toolCalls" | "toolCallId" | "providerParts" | "files"> {
  return {
    ...(row.tool_calls === null ? {} : { toolCalls: JSON.parse(row.tool_calls) as ToolCall[] }),
    ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
    ...(row.provider_parts === null ? {} : { providerParts: JSON.parse(row.provider_parts) as ProviderParts }),
    ...(row.files === null ? {} : { files: filesOf(row) }),
  };
}

/** The columns that a {@link MessageRow} has, and no others. */
export const MESSAGE_COLUMNS = `session_id, seq, turn_id, role, text, tool_calls, tool_call_id, provider_parts, files, internal,
  surface, created_at`;

/** The files that a message names. */
export function filesOf({ files }: Pick<MessageRow, "files">): readonly SentFile[] {
  return files === null ? [] : (JSON.parse(files) as SentFile[]);
}

/**
 * Appends to a transcript, and updates the session's counts. `once` is an idempotency key: a second message with it is an
 * error. For use inside a transaction, like everything here.
 */
export function addMessages(
  { db, clock }: Context,
  sessionId: SessionId,
  turnId: TurnId | null,
  messages: readonly NewMessage[],
  once: string | null = null,
): TranscriptMessage[] {
  if (messages.length === 0) return [];
  const calls = messages.reduce((sum, message) => sum + (message.toolCalls?.length ?? 0), 0);
  const counted = db.get<{ last_seq: number }>(
    `UPDATE sessions SET
       last_seq = last_seq + $messages, message_count = message_count + $messages, tool_call_count = tool_call_count + $calls
     WHERE id = $id RETURNING last_seq`,
    { id: sessionId, messages: messages.length, calls },
  );
  let seq = (counted?.last_seq ?? 0) - messages.length;
  return messages.map((message) => {
    seq += 1;
    const row: MessageRow = {
      session_id: sessionId,
      seq,
      turn_id: turnId,
      role: message.role,
      text: readable(message.text),
      tool_calls: message.toolCalls?.length ? JSON.stringify(message.toolCalls) : null,
      tool_call_id: message.toolCallId ?? null,
      provider_parts: message.providerParts ? JSON.stringify(message.providerParts) : null,
      files: message.files?.length ? JSON.stringify(message.files) : null,
      internal: message.internal ? 1 : 0,
      surface: message.surface ?? null,
      created_at: clock.now(),
    };
    db.run(
      `INSERT INTO messages (
         session_id, seq, turn_id, role, text, tool_calls, tool_call_id, provider_parts, files, internal, surface,
         created_at, once
       ) VALUES (
         $session_id, $seq, $turn_id, $role, $text, $tool_calls, $tool_call_id, $provider_parts, $files, $internal, $surface,
         $created_at, $once
       )`,
      { ...row, once },
    );
    return toMessage(row);
  });
}

/** Takes the messages from `fromSeq` on out of the transcript, for the request with the id `by`. Returns how many. */
export function hideMessages(
  { db, clock }: Context,
  sessionId: SessionId,
  fromSeq: number,
  by: string | null = null,
): number {
  const hidden = db.get<{ messages: number; calls: number }>(
    `SELECT count(*) AS messages, coalesce(sum(json_array_length(tool_calls)), 0) AS calls
     FROM messages WHERE session_id = ? AND seq >= ? AND hidden_at IS NULL`,
    sessionId,
    fromSeq,
  );
  if (!hidden || hidden.messages === 0) return 0;
  // It would still tell a model what was taken back.
  db.run("DELETE FROM compactions WHERE session_id = ? AND up_to >= ?", sessionId, fromSeq);
  db.run(
    "UPDATE messages SET hidden_at = ?, hidden_by = ? WHERE session_id = ? AND seq >= ? AND hidden_at IS NULL",
    clock.now(),
    by,
    sessionId,
    fromSeq,
  );
  // `last_seq` stays: a reader that asks for messages after a seq must not miss new ones.
  db.run(
    "UPDATE sessions SET message_count = message_count - ?, tool_call_count = tool_call_count - ? WHERE id = ?",
    hidden.messages,
    hidden.calls,
    sessionId,
  );
  return hidden.messages;
}

/** The message at `seq`, even a hidden one. */
export function messageAt({ db }: Context, sessionId: SessionId, seq: number): MessageRow | undefined {
  return db.get<MessageRow>("SELECT * FROM messages WHERE session_id = ? AND seq = ?", sessionId, seq);
}
