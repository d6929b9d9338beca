import type { NewSession, Session, SessionId, Visibility } from "../../model/session.ts";
import type { KeptState } from "../../model/work-state.ts";
import type { SessionPage, SessionStore } from "../store.ts";
import { askRows } from "./ask-rows.ts";
import { bindingsOf } from "./binding-rows.ts";
import { stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { forkSession } from "./fork-session.ts";
import { assertNoneInFlight } from "./handoff-rows.ts";
import { endAsk } from "./open-ask.ts";
import { enqueue } from "./outbox-rows.ts";
import { type ListedRow, type SessionRow, sessionRow, toSession, unknownSession, visibleTo } from "./session-rows.ts";
import { foldCase, likeText, readable } from "./text.ts";
import { freeTitle, writeTitle } from "./titles.ts";
import { assertNoTurn } from "./turn-rows.ts";
import { forgetSessionOf } from "./usage.ts";

/** The maximum number of matches of a reference. */
const FIND_LIMIT = 20;

/** Those of a whole title, the most recently used first: not looked for in that order, among all that somebody has. */
export const TITLED = "title_folded = ? ORDER BY +updated_at DESC, id DESC";

/** What a list shows of a session: reading a column that nobody looks at takes as long as reading another. */
const LISTED = `id, title, user, origin, origin_chat, model, working_directory, mode, last_surface, unmarked_until, message_count,
  tool_call_count, created_at, updated_at`;

export function sqliteSessions(context: Context): SessionStore {
  const { db } = context;
  return {
    create: (session) => db.write(() => createSession(context, session)),

    fork: (request) => db.write(() => forkSession(context, request)),

    get: (id) =>
      db.read(() => {
        const row = sessionRow(context, id);
        return row ? toSession(row) : null;
      }),

    keptState: (id) =>
      db.read(() => {
        const row = db.get<{ state: string | null }>("SELECT state FROM sessions WHERE id = ?", id);
        return row?.state == null ? null : (JSON.parse(row.state) as KeptState);
      }),

    list: (query) => db.read(() => listSessions(context, query)),

    find: (reference, visible) => db.read(() => findSessions(context, reference, visible)),

    setTitle: (id, wanted) =>
      db.write(() => {
        const row = sessionRow(context, id);
        if (!row) throw unknownSession(id);
        const title = freeTitle(db, wanted, row);
        writeTitle(db, id, title);
        return title;
      }),

    setMode: (id, mode) => db.write(() => db.run("UPDATE sessions SET mode = ? WHERE id = ?", mode, id) > 0),

    setModel: (id, model) =>
      db.write(() => {
        const stored = model === null ? null : readable(model);
        if (db.run("UPDATE sessions SET model = ? WHERE id = ?", stored, id) === 0) throw unknownSession(id);
      }),

    delete: (id, farewell) =>
      db.write(() => {
        const bindings = bindingsOf(context, id);
        deleteSession(context, id);
        for (const { key } of bindings) {
          db.run("INSERT OR REPLACE INTO let_go (key, let_go_at) VALUES (?, ?)", key, context.clock.now());
        }
        const told = farewell
          ? bindings.map(({ key, conversation }) => ({ key, conversation, message: farewell }))
          : [];
        enqueue(context, told, {});
        return bindings.map(({ key }) => key);
      }),

    count: () => db.read(() => db.get<{ count: number }>("SELECT count(*) AS count FROM sessions")?.count ?? 0),
  };
}

function createSession(context: Context, session: NewSession): Session {
  const { db, clock, ids } = context;
  const id = ids.next("ses") as SessionId;
  const title = session.title == null ? null : freeTitle(db, session.title, { ...session, id });
  const now = clock.now();
  const row: Omit<SessionRow, "state" | "away" | "left_surface"> = {
    id,
    title,
    user: session.user,
    origin: session.origin,
    origin_chat: session.originChat,
    model: session.model == null ? null : readable(session.model),
    working_directory: session.workingDirectory == null ? null : readable(session.workingDirectory),
    mode: session.mode ?? "default",
    last_surface: session.origin,
    unmarked_until: 0,
    message_count: 0,
    tool_call_count: 0,
    last_seq: 0,
    fence: 0,
    created_at: now,
    updated_at: now,
  };
  db.run(
    `INSERT INTO sessions (
       id, title, title_folded, user, origin, origin_chat, model, working_directory, mode, last_surface, created_at,
       updated_at
     ) VALUES (
       $id, $title, $title_folded, $user, $origin, $origin_chat, $model, $working_directory, $mode, $last_surface,
       $created_at, $updated_at
     )`,
    { ...row, title_folded: title === null ? null : foldCase(title) },
  );
  return toSession(row);
}

function listSessions(
  { db }: Context,
  { visible, limit, cursor, matching }: Parameters<SessionStore["list"]>[0],
): SessionPage {
  const seen = visibleTo(visible);
  const wanted = matching === undefined ? "" : readable(matching).trim();
  const called = wanted === "" ? { sql: "TRUE", values: [] } : isCalled(wanted);
  const after = cursor === undefined ? null : parseCursor(cursor);
  const rows = db.all<ListedRow>(
    `SELECT ${LISTED} FROM sessions WHERE ${seen.sql} AND ${called.sql} ${after ? "AND (updated_at, id) < (?, ?)" : ""}
     ORDER BY updated_at DESC, id DESC LIMIT ?`,
    ...seen.values,
    ...called.values,
    ...(after ?? []),
    limit + 1,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { sessions: page.map(toSession), cursor: rows.length > limit && last ? toCursor(last) : null };
}

function toCursor(row: ListedRow): string {
  return `${row.updated_at}:${row.id}`;
}

function parseCursor(cursor: string): [number, string] {
  const colon = cursor.indexOf(":");
  return [Number(cursor.slice(0, colon)), cursor.slice(colon + 1)];
}

function findSessions({ db }: Context, reference: string, visible: Visibility): Session[] {
  const wanted = readable(reference).trim();
  if (wanted === "") return [];
  const seen = visibleTo(visible);
  const where = (condition: string, ...values: string[]) =>
    db
      .all<SessionRow>(
        `SELECT * FROM sessions WHERE ${seen.sql} AND ${condition} LIMIT ${FIND_LIMIT}`,
        ...seen.values,
        ...values,
      )
      .map(toSession);

  const exact = where("id = ?", wanted);
  if (exact.length > 0) return exact;
  const titled = where(TITLED, foldCase(wanted));
  if (titled.length > 0) return titled;
  const called = isCalled(wanted);
  return where(`${called.sql} ORDER BY updated_at DESC, id DESC`, ...called.values);
}

/** The condition for sessions whose id begins with a text, or whose title has it. */
function isCalled(wanted: string): { readonly sql: string; readonly values: readonly string[] } {
  return {
    sql: "(id LIKE ? ESCAPE '\\' OR title_folded LIKE ? ESCAPE '\\')",
    values: [`${likeText(wanted)}%`, `%${likeText(foldCase(wanted))}%`],
  };
}

function deleteSession(context: Context, id: SessionId): void {
  const { db } = context;
  assertNoTurn(context, id);
  assertNoneInFlight(context, id);
  stopWaitingTurn(context, id);
  for (const row of askRows(context, "state = 'open' AND session_id = ?", id)) endAsk(context, row, "expired");
  // Unsent rows are still sent, the farewell among them; rows that were sent are deleted with the session.
  db.run("DELETE FROM outbox WHERE session_id = ? AND state NOT IN ('queued', 'sending')", id);
  // Whose it was decides still who may read them.
  db.run(
    `UPDATE outbox_messages
     SET message = json_set(message, '$.tellsOf', json((
       SELECT json_object('user', user, 'deleted', coalesce(title, id)) FROM sessions WHERE id = $id
     )))
     WHERE id IN (SELECT message_id FROM outbox WHERE session_id = $id)`,
    { id },
  );
  db.run("UPDATE outbox SET session_id = NULL WHERE session_id = ?", id);
  forgetSessionOf(context, id);
  db.run("DELETE FROM sessions WHERE id = ?", id);
}
