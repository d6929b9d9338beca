/** Keeps questions that are no approvals, and which turn began because of one. */
export const ASKS = `
CREATE TABLE asks (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  person TEXT NOT NULL,
  surface TEXT NOT NULL,
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  fresh_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  message TEXT NOT NULL,
  outcomes TEXT NOT NULL,
  -- It was taken while what was written there was still being answered.
  wanted_at INTEGER,
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  expires_at INTEGER NOT NULL,
  expires_steady TEXT
) STRICT;
CREATE INDEX asks_open ON asks (number) WHERE state = 'open';
CREATE INDEX asks_wanted ON asks (fresh_id) WHERE state = 'open' AND wanted_at IS NOT NULL;
CREATE INDEX asks_of_session ON asks (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX asks_of_fresh ON asks (fresh_id) WHERE fresh_id IS NOT NULL;
CREATE INDEX asks_over ON asks (expires_at);
ALTER TABLE turns ADD COLUMN ask_id TEXT;
`;
