import type { Visibility } from "../../session/session.ts";
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

function search(context: Context, { text, visible, limit }: Parameters<TranscriptStore["search"]>[0]): SearchHit[] {
  const words = wordsQuery(text);
  if (words === null) return [];
  const seen = visibleTo(visible);
  const { first, last } = stretchOf(context, visible);
  // The index gives the newest first by itself, so that the search ends with the last hit that is shown.
  return context.db.all<SearchHit>(
    `SELECT messages.session_id AS sessionId, sessions.title, messages.seq, messages.role,
            snippet(message_words, 0, '[', ']', '…', 12) AS snippet, messages.created_at AS createdAt
     FROM message_words
     CROSS JOIN messages ON messages.number = message_words.rowid
     CROSS JOIN sessions ON sessions.id = messages.session_id
     WHERE message_words MATCH ? AND message_words.rowid BETWEEN ? AND ? AND ${seen.sql}
     ORDER BY message_words.rowid DESC LIMIT ?`,
    words,
    first,
    last,
    ...seen.values,
    limit,
  );
}

/** Of more sessions it is not asked where their messages lie: they are likely to be everywhere. */
const STRETCH_SESSIONS = 500;

/**
 * The numbers between which the messages of the visible sessions lie. Without them a search in a few old sessions would
 * look at every newer message that holds the words, whoever's it is. Numbers grow within a session.
 */
function stretchOf({ db }: Context, visible: Visibility): { readonly first: number; readonly last: number } {
  const everywhere = { first: 0, last: Number.MAX_SAFE_INTEGER };
  if (visible.kind === "all") return everywhere;
  const seen = visibleTo(visible);
  const numberOf = (direction: "ASC" | "DESC") =>
    `(SELECT number FROM messages WHERE session_id = sessions.id ORDER BY seq ${direction} LIMIT 1)`;
  const found = db.get<{ sessions: number; first: number | null; last: number | null }>(
    `SELECT count(*) AS sessions, min(first) AS first, max(last) AS last FROM (
       SELECT ${numberOf("ASC")} AS first, ${numberOf("DESC")} AS last FROM sessions WHERE ${seen.sql} LIMIT ?
     )`,
    ...seen.values,
    STRETCH_SESSIONS + 1,
  );
  if (!found || found.sessions > STRETCH_SESSIONS) return everywhere;
  return { first: found.first ?? 0, last: found.last ?? 0 };
}
