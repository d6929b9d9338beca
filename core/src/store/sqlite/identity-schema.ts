/**
 * Adds the tables for people. `identities`: an id belongs to one person at a time; former owners are kept. `home_people`:
 * the operator in a private home channel. Both start empty: each plugin hands over the people it knew, and the first
 * gateway that serves a home channel adds it.
 */
export const WHO_IS_WHO = `
CREATE TABLE identities (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  id TEXT NOT NULL,
  strength TEXT NOT NULL,
  person TEXT NOT NULL,
  since INTEGER NOT NULL,
  -- From which word.
  word TEXT NOT NULL,
  -- The one heard last is where the person is written to.
  heard_at INTEGER,
  until INTEGER,
  ended_by TEXT
) STRICT;
CREATE UNIQUE INDEX identities_now ON identities (platform, account, id) WHERE until IS NULL;
CREATE INDEX identities_by_id ON identities (platform, account, id, person);
CREATE INDEX identities_of_person ON identities (platform, account, person);

CREATE TABLE home_people (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  home TEXT NOT NULL,
  chat TEXT NOT NULL,
  name TEXT,
  is_private INTEGER NOT NULL,
  person TEXT,
  since INTEGER NOT NULL,
  word TEXT NOT NULL,
  present TEXT NOT NULL,
  told TEXT,
  PRIMARY KEY (platform, account, home)
) STRICT, WITHOUT ROWID;
`;

/** What the gateway that serves an account says of who may do what there. It holds while `holder_id` has the lease. */
export const GRANTS = `
CREATE TABLE grants (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  version INTEGER NOT NULL,
  holder_id TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  operators TEXT NOT NULL,
  allowed_users TEXT NOT NULL,
  allowed_bots TEXT NOT NULL,
  -- The name of the home channel and its private chat: who is the operator there stands in home_people.
  home TEXT,
  chat TEXT,
  PRIMARY KEY (platform, account)
) STRICT, WITHOUT ROWID;
`;
