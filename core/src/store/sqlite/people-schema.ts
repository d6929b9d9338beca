/**
 * Sessions of earlier versions: what people without tools wrote in their private chats stands there without a mark. Who
 * the session belongs to does not tell it any more, since operators and members are people alike.
 */
export const UNMARKED_GUESTS = `
ALTER TABLE sessions ADD COLUMN unmarked_until INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET unmarked_until = last_seq WHERE user <> 'operator';
`;

/** Who asked for a handoff: what it gives to somebody else is theirs for as long as that person may give it. */
export const ASKED_BY = `
ALTER TABLE handoffs ADD COLUMN asked_by TEXT NOT NULL DEFAULT 'operator';
`;

/**
 * Adds people and the identities that are linked to them. `key` is what stays of somebody on a platform account whatever
 * ids come and go. The person at the terminal is always there.
 */
export const PEOPLE = `
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- The name as names are compared: two that differ only in case are one.
  name_folded TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO people (id, name, name_folded, role, created_at)
VALUES ('operator', 'operator', 'operator', 'operator', unixepoch() * 1000);

CREATE TABLE person_identities (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name TEXT,
  since INTEGER NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (platform, account, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_identities_of ON person_identities (person, since);
`;
