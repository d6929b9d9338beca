import type { SearchHit, TranscriptStore } from "../../session/store.ts";
import type { Context } from "./connection.ts";
import { type MessageRow, toMessage } from "./messages.ts";
import { visibleTo } from "./session-rows.ts";
import { wordsQuery } from "./text.ts";

type Range = Parameters<TranscriptStore["read"]>[1];

export function sqliteTranscripts(context: Context): TranscriptStore {
  const { db } = context;
  return {
    read: (sessionId, range) => db.read(() => readMessages(context, sessionId, range).map(toMessage)),
    search: (query) => db.read(() => search(context, query)),
  };
}

function readMessages({ db }: Context, sessionId: string, range: Range = {}): MessageRow[] {
  const { after, before = Number.MAX_SAFE_INTEGER, limit = -1 } = range;
  const select = (direction: "ASC" | "DESC") =>
    db.all<MessageRow>(
      `SELECT * FROM messages WHERE session_id = ? AND seq > ? AND seq < ? AND hidden_at IS NULL
       ORDER BY seq ${direction} LIMIT ?`,
      sessionId,
      after ?? 0,
      before,
      limit,
    );
  return after === undefined && limit >= 0 ? select("DESC").reverse() : select("ASC");
}

function search({ db }: Context, { text, visible, limit }: Parameters<TranscriptStore["search"]>[0]): SearchHit[] {
  const words = wordsQuery(text);
  if (words === null) return [];
  const seen = visibleTo(visible);
  // The index gives the newest first by itself, so that the search ends with the last hit that is shown.
  return db.all<SearchHit>(
    `SELECT messages.session_id AS sessionId, sessions.title, messages.seq, messages.role,
            snippet(message_words, 0, '[', ']', '…', 12) AS snippet, messages.created_at AS createdAt
     FROM message_words
     CROSS JOIN messages ON messages.number = message_words.rowid
     CROSS JOIN sessions ON sessions.id = messages.session_id
     WHERE message_words MATCH ? AND ${seen.sql}
     ORDER BY message_words.rowid DESC LIMIT ?`,
    words,
    ...seen.values,
    limit,
  );
}
