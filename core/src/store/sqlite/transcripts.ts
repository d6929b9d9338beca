import type { RowRedaction } from "../../base/row-redaction.ts";
import type { Visibility } from "../../model/session.ts";
import { restoredBy } from "../redacting-store.ts";
import type { SearchHit, TranscriptRange, TranscriptStore } from "../store.ts";
import type { Context, SqlValue } from "./connection.ts";
import { KeptTranscripts } from "./kept-transcripts.ts";
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from "./messages.ts";
import { searchWords } from "./search-words.ts";
import { visibleTo } from "./session-rows.ts";
import { readOn } from "./transcript-within.ts";
import type { WordIndex } from "./word-index.ts";

/** Restores the ids of what {@link TranscriptStore.read} returns, since it is kept. */
export function sqliteTranscripts(context: Context, words: WordIndex, redaction: RowRedaction): TranscriptStore {
  const { db } = context;
  const kept = new KeptTranscripts();
  const restored = restoredBy(redaction);
  return {
    read: (sessionId, range = {}) => {
      const { room, ...rest } = range;
      return db.read(() =>
        room === undefined
          ? readMessages(context, sessionId, rest).map((row) => restored(toMessage(row)))
          : readOn(context, sessionId, { after: rest.after ?? 0, room, kept, restored }),
      );
    },
    search: async (query) => {
      await words.fill(query.onIndexing);
      return db.read(() => search(context, query));
    },
  };
}

function readMessages({ db }: Context, sessionId: string, range: Omit<TranscriptRange, "room">): MessageRow[] {
  const { after, before = Number.MAX_SAFE_INTEGER, limit = -1 } = range;
  const select = (direction: "ASC" | "DESC") =>
    db.all<MessageRow>(
      `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE session_id = +? AND seq > +? AND seq < +? AND hidden_at IS NULL
       ORDER BY seq ${direction} LIMIT +?`,
      sessionId,
      after ?? 0,
      before,
      limit,
    );
  return after === undefined && limit >= 0 ? select("DESC").reverse() : select("ASC");
}

type SearchQuery = Parameters<TranscriptStore["search"]>[0];

function search(context: Context, query: SearchQuery): SearchHit[] {
  const asked = searchWords(query.text);
  let found: readonly FoundRow[] = [];
  // Whole words are found fast. Prefixes take longer, and are searched only if there were too few whole words.
  for (const words of asked?.queries ?? []) {
    found = rowsWith(context, words, query);
    if (found.length >= query.limit) break;
  }
  return found.map(({ text, ...hit }) => ({ ...hit, snippet: asked?.snippet(text) ?? "" }));
}

interface FoundRow extends Omit<SearchHit, "snippet"> {
  readonly text: string;
}

function rowsWith(context: Context, words: string, query: SearchQuery): FoundRow[] {
  const { sql, values } = visibleTo(query.visible);
  const found = (tables: string, tablesValues: readonly SqlValue[], condition: string, ...more: SqlValue[]) =>
    context.db.all<FoundRow>(
      `SELECT messages.session_id AS sessionId, sessions.title, messages.seq, messages.role,
              messages.text, messages.created_at AS createdAt
       FROM ${tables} WHERE message_index MATCH ? AND ${condition}${query.onlySaid ? " AND messages.role != 'tool'" : ""}
       ORDER BY message_index.rowid DESC LIMIT ?`,
      ...tablesValues,
      words,
      ...more,
      query.limit,
    );

  const extent = query.visible.kind === "all" ? EVERYWHERE : extentOf(context, query.visible);
  if (extent.messages <= FEW_MESSAGES && extent.ofSessions <= extent.last - extent.first) {
    return found(
      `(SELECT id, title, ${FIRST} AS first, ${LAST} AS last FROM sessions WHERE ${sql}) AS sessions
       CROSS JOIN message_index ON message_index.rowid BETWEEN sessions.first AND sessions.last
       CROSS JOIN messages ON messages.number = message_index.rowid`,
      values,
      "messages.session_id = sessions.id",
    );
  }
  // The index itself returns the newest first, so that the search ends with the last hit shown. The casts are needed
  // because the driver binds numbers as floating-point ones, and only integers restrict what the index reads.
  return found(
    `message_index CROSS JOIN messages ON messages.number = message_index.rowid
     CROSS JOIN sessions ON sessions.id = messages.session_id`,
    [],
    `message_index.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) AND ${sql}`,
    extent.first,
    extent.last,
    ...values,
  );
}

/** The range of message numbers of some sessions. Numbers ascend within a session. */
interface Extent {
  readonly messages: number;
  /** The range that contains all of them, with `last`. */
  readonly first: number;
  readonly last: number;
  /** The sum of the lengths of each session's own range. */
  readonly ofSessions: number;
}

const EVERYWHERE: Extent = {
  messages: Number.POSITIVE_INFINITY,
  first: 0,
  last: Number.MAX_SAFE_INTEGER,
  ofSessions: Number.POSITIVE_INFINITY,
};

/** With fewer messages than this, hits are far apart: scanning each session's own range is faster. */
const FEW_MESSAGES = 1_000;

/** With more sessions than this, the extent is not computed: their messages are likely to be everywhere. */
const EXTENT_SESSIONS = 500;

const FIRST = "(SELECT number FROM messages WHERE session_id = sessions.id ORDER BY seq LIMIT 1)";
const LAST = "(SELECT number FROM messages WHERE session_id = sessions.id ORDER BY seq DESC LIMIT 1)";

/**
 * The extent of the visible sessions' messages. Without it, a search in a few old sessions would scan every newer message
 * with the words, in all sessions.
 */
function extentOf({ db }: Context, visible: Visibility): Extent {
  const { sql, values } = visibleTo(visible);
  const found = db.get<{ sessions: number } & Extent>(
    `SELECT count(*) AS sessions, coalesce(sum(last_seq), 0) AS messages, coalesce(min(first), 0) AS first,
            coalesce(max(last), 0) AS last, coalesce(sum(last - first), 0) AS ofSessions
     FROM (SELECT last_seq, ${FIRST} AS first, ${LAST} AS last FROM sessions WHERE ${sql} LIMIT ?)`,
    ...values,
    EXTENT_SESSIONS + 1,
  );
  return found && found.sessions <= EXTENT_SESSIONS ? found : EVERYWHERE;
}
