import type { Visibility } from "../../session/session.ts";
import type { SearchHit, TranscriptStore } from "../../session/store.ts";
import type { Context, SqlValue } from "./connection.ts";
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

function search(context: Context, query: Parameters<TranscriptStore["search"]>[0]): SearchHit[] {
  const words = wordsQuery(query.text);
  if (words === null) return [];
  const { sql, values } = visibleTo(query.visible);
  const found = (tables: string, condition: string, ...more: SqlValue[]) =>
    context.db.all<SearchHit>(
      `SELECT messages.session_id AS sessionId, sessions.title, messages.seq, messages.role,
              snippet(message_words, 0, '[', ']', '…', 12) AS snippet, messages.created_at AS createdAt
       FROM ${tables} WHERE message_words MATCH ? AND ${sql} ${condition}
       LIMIT ?`,
      words,
      ...values,
      ...more,
      query.limit,
    );

  const extent = query.visible.kind === "all" ? EVERYWHERE : extentOf(context, query.visible);
  if (extent.messages <= FEW_MESSAGES) {
    return found(
      `sessions CROSS JOIN messages ON messages.session_id = sessions.id
       CROSS JOIN message_words ON message_words.rowid = messages.number`,
      "ORDER BY messages.number DESC",
    );
  }
  // The index gives the newest first by itself, so that the search ends with the last hit that is shown.
  return found(
    `message_words CROSS JOIN messages ON messages.number = message_words.rowid
     CROSS JOIN sessions ON sessions.id = messages.session_id`,
    "AND message_words.rowid BETWEEN ? AND ? ORDER BY message_words.rowid DESC",
    extent.first,
    extent.last,
  );
}

/** How many messages may be searched at most, and between which numbers they lie. */
interface Extent {
  readonly messages: number;
  readonly first: number;
  readonly last: number;
}

const EVERYWHERE: Extent = { messages: Number.POSITIVE_INFINITY, first: 0, last: Number.MAX_SAFE_INTEGER };

/** To ask each of so few whether it holds the words is quicker than to look for theirs among everybody's hits. */
const FEW_MESSAGES = 1_000;

/** Where the messages of more sessions lie is not asked: they are likely to be everywhere. */
const EXTENT_SESSIONS = 500;

/**
 * Where the messages of the visible sessions are. Else a search in a few old sessions would go through every newer
 * message that holds the words, whoever's it is. Numbers grow within a session.
 */
function extentOf({ db }: Context, visible: Visibility): Extent {
  const seen = visibleTo(visible);
  const numberOf = (direction: "ASC" | "DESC") =>
    `(SELECT number FROM messages WHERE session_id = sessions.id ORDER BY seq ${direction} LIMIT 1)`;
  const found = db.get<{ sessions: number } & Extent>(
    `SELECT count(*) AS sessions, coalesce(sum(last_seq), 0) AS messages, coalesce(min(first), 0) AS first,
            coalesce(max(last), 0) AS last
     FROM (
       SELECT last_seq, ${numberOf("ASC")} AS first, ${numberOf("DESC")} AS last
       FROM sessions WHERE ${seen.sql} LIMIT ?
     )`,
    ...seen.values,
    EXTENT_SESSIONS + 1,
  );
  return found && found.sessions <= EXTENT_SESSIONS ? found : EVERYWHERE;
}
