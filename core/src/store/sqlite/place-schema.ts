/** Conversations by name. `called` is what the config calls one, and `shared` what it says of who reads it. */
export const PLACES = `
CREATE TABLE places (
  key TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  conversation TEXT NOT NULL,
  called TEXT,
  name TEXT,
  is_home INTEGER NOT NULL DEFAULT 0,
  shared INTEGER NOT NULL DEFAULT 0,
  person TEXT,
  heard_at INTEGER NOT NULL
) STRICT;
CREATE INDEX places_heard ON places (heard_at);
`;
