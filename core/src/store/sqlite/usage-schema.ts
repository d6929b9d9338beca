/**
 * Keeps what each request to a model used. Turns are pruned and sessions deleted, and what was paid stays: a row without a
 * session is the sum of what deleted ones used on a day.
 */
export const USAGE = `
CREATE TABLE usage (
  number INTEGER PRIMARY KEY,
  session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  turn_id TEXT,
  -- The message that the request gave.
  seq INTEGER,
  kind TEXT NOT NULL,
  person TEXT NOT NULL,
  model TEXT NOT NULL,
  day TEXT NOT NULL,
  at INTEGER NOT NULL,
  requests INTEGER NOT NULL DEFAULT 1,
  input INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  -- Millionths of a dollar; null where the price was not known.
  cost INTEGER,
  is_estimated INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_of_session ON usage (session_id, number);
CREATE INDEX usage_of_day ON usage (day, person);
CREATE INDEX usage_of_person ON usage (person);
CREATE INDEX usage_since ON usage (at);
`;

/** What was allowed beyond limits, and what a question would allow. */
export const LIMIT_RAISES = `
CREATE TABLE limit_raises (
  number INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  once TEXT UNIQUE,
  cost INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX limit_raises_of ON limit_raises (subject);
CREATE INDEX limit_raises_at ON limit_raises (at);
ALTER TABLE approvals ADD COLUMN raises TEXT;
`;
