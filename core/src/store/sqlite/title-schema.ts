/**
 * Titles are no longer unique over all people: a number in one said that somebody else has a session of that title. No
 * index makes them unique, since a session that a shared chat reads is told apart from others than one that its person
 * alone reads; see `titles.ts`. SQLite drops a constraint only with its table, which must not take along what refers to it:
 * foreign keys are off meanwhile.
 */
export const TITLES_OF_PEOPLE = `
CREATE TABLE titled_sessions (
  id TEXT PRIMARY KEY,
  title TEXT,
  -- The title as titles are compared: two that differ only in case are one.
  title_folded TEXT,
  user TEXT NOT NULL,
  origin TEXT NOT NULL,
  origin_chat TEXT,
  model TEXT,
  working_directory TEXT,
  last_surface TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  mode TEXT NOT NULL DEFAULT 'default',
  state TEXT,
  unmarked_until INTEGER NOT NULL DEFAULT 0,
  away TEXT,
  left_surface TEXT
) STRICT;
INSERT INTO titled_sessions (
  id, title, title_folded, user, origin, origin_chat, model, working_directory, last_surface, message_count,
  tool_call_count, last_seq, fence, created_at, updated_at, mode, state, unmarked_until, away, left_surface
)
SELECT id, title, title_folded, user, origin, origin_chat, model, working_directory, last_surface, message_count,
  tool_call_count, last_seq, fence, created_at, updated_at, mode, state, unmarked_until, away, left_surface
FROM sessions ORDER BY rowid;
DROP TABLE sessions;
ALTER TABLE titled_sessions RENAME TO sessions;
CREATE INDEX sessions_used ON sessions (updated_at, id);
CREATE INDEX sessions_begun_by ON sessions (user, updated_at, id);
CREATE INDEX sessions_begun_in ON sessions (origin_chat, updated_at, id) WHERE origin_chat IS NOT NULL;
CREATE INDEX sessions_away ON sessions (id) WHERE away IS NOT NULL;
CREATE INDEX sessions_titled ON sessions (title_folded, user) WHERE title_folded IS NOT NULL;
`;
