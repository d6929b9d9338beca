/** Keeps what models are given instead of the beginnings of transcripts, and which turns only make that. */
export const COMPACTIONS = `
CREATE TABLE compactions (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id TEXT NOT NULL,
  up_to INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  facts TEXT NOT NULL,
  work TEXT,
  messages INTEGER NOT NULL,
  tokens_before INTEGER NOT NULL,
  tokens_after INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX compactions_of_session ON compactions (session_id, number);
ALTER TABLE turns ADD COLUMN compacts INTEGER NOT NULL DEFAULT 0;
`;
