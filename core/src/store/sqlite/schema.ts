/**
 * The tables of version 1. Times are in milliseconds since 1970; objects are stored as JSON. Never change a released
 * migration: add a new one.
 */
export const VERSION_1 = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  title TEXT,
  -- The title as titles are compared: two that differ only in case are one.
  title_folded TEXT UNIQUE,
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
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_used ON sessions (updated_at, id);
CREATE INDEX sessions_begun_by ON sessions (user, updated_at, id);
CREATE INDEX sessions_begun_in ON sessions (origin_chat, updated_at, id) WHERE origin_chat IS NOT NULL;

CREATE TABLE messages (
  number INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  turn_id TEXT,
  role TEXT NOT NULL,
  text TEXT NOT NULL,
  tool_calls TEXT,
  tool_call_id TEXT,
  internal INTEGER NOT NULL,
  surface TEXT,
  created_at INTEGER NOT NULL,
  -- Taken out of the transcript: kept in the file, not read again.
  hidden_at INTEGER,
  -- The request that took it out, where that has a name.
  hidden_by TEXT,
  -- Set where a message may be written once only.
  once TEXT
) STRICT;
CREATE UNIQUE INDEX messages_in_order ON messages (session_id, seq);
CREATE UNIQUE INDEX messages_once ON messages (once) WHERE once IS NOT NULL;
CREATE INDEX messages_hidden_by ON messages (hidden_by) WHERE hidden_by IS NOT NULL;

CREATE VIEW readable_messages AS SELECT number, text FROM messages WHERE hidden_at IS NULL;
-- Without the lengths of the texts: only a ranking by relevance would need them, and they cost a page a message.
CREATE VIRTUAL TABLE message_words USING fts5(
  text, content = 'readable_messages', content_rowid = 'number', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER message_written AFTER INSERT ON messages BEGIN
  INSERT INTO message_words (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER message_hidden AFTER UPDATE OF hidden_at ON messages
WHEN old.hidden_at IS NULL AND new.hidden_at IS NOT NULL BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER message_deleted AFTER DELETE ON messages WHEN old.hidden_at IS NULL BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;

CREATE TABLE turns (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  inbox_id TEXT UNIQUE,
  handoff_id TEXT UNIQUE,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  holder TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  surface TEXT NOT NULL,
  -- The user row that it answers.
  message_seq INTEGER NOT NULL,
  tool_started INTEGER NOT NULL DEFAULT 0,
  stop_requested INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX turns_open ON turns (session_id) WHERE ended_at IS NULL;
CREATE INDEX turns_of_session ON turns (session_id, fence);

CREATE TABLE handoffs (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  from_surface TEXT NOT NULL,
  platform TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT,
  attempt INTEGER NOT NULL DEFAULT 0,
  holder_id TEXT,
  holder TEXT,
  lease_until INTEGER,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER,
  conversation TEXT,
  link TEXT,
  flat_because TEXT,
  error_code TEXT,
  error_text TEXT,
  warnings TEXT NOT NULL DEFAULT '[]',
  mark TEXT NOT NULL,
  thread_intent_at INTEGER,
  -- What stood when it was bound: what came later came after it.
  bound_key TEXT,
  bound_fence INTEGER,
  bound_inbox INTEGER,
  previous_session_id TEXT
) STRICT;
CREATE UNIQUE INDEX handoffs_in_flight ON handoffs (session_id) WHERE state IN ('pending', 'running');
CREATE INDEX handoffs_waiting ON handoffs (state, number) WHERE state IN ('pending', 'running');
CREATE INDEX handoffs_of_session ON handoffs (session_id, number);
CREATE INDEX handoffs_bound ON handoffs (bound_key, number) WHERE bound_key IS NOT NULL;

CREATE TABLE handoff_steps (
  handoff_id TEXT NOT NULL REFERENCES handoffs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  step TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (handoff_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE bindings (
  key TEXT PRIMARY KEY,
  conversation TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  previous_session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  mirrors INTEGER NOT NULL,
  bound_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  -- The handoff that made it, and the binding that it took the place of, to be restored when the handoff fails.
  handoff_id TEXT,
  replaced TEXT
) STRICT;
CREATE INDEX bindings_of_session ON bindings (session_id, used_at);
CREATE INDEX bindings_before ON bindings (previous_session_id) WHERE previous_session_id IS NOT NULL;
CREATE INDEX bindings_of_handoff ON bindings (handoff_id) WHERE handoff_id IS NOT NULL;

CREATE TABLE homes (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  home TEXT NOT NULL,
  PRIMARY KEY (platform, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  -- The chat, without thread and person: one message may be reported with its thread and without.
  chat TEXT NOT NULL,
  message_id TEXT NOT NULL,
  -- Null once it is done: a tombstone keeps no text.
  message TEXT,
  state TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;
CREATE UNIQUE INDEX inbox_once ON inbox (chat, message_id);
CREATE INDEX inbox_lanes ON inbox (platform, account, key) WHERE done_at IS NULL;
CREATE INDEX inbox_of_lane ON inbox (key, number) WHERE done_at IS NULL;
CREATE INDEX inbox_by_key ON inbox (key, number);
CREATE INDEX inbox_tombstones ON inbox (done_at) WHERE done_at IS NOT NULL;

-- What is said, once for all the pieces it is sent in.
CREATE TABLE outbox_messages (
  id INTEGER PRIMARY KEY,
  message TEXT NOT NULL
) STRICT;

CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  -- The place in the lane: of the message, and of the piece within it.
  position INTEGER NOT NULL,
  part INTEGER NOT NULL,
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  conversation TEXT NOT NULL,
  message_id INTEGER NOT NULL REFERENCES outbox_messages (id),
  piece TEXT,
  state TEXT NOT NULL,
  session_id TEXT,
  turn_id TEXT,
  handoff_id TEXT,
  draft_message_id TEXT,
  receipt TEXT,
  receipt_message_id TEXT,
  confirmed INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  error_code TEXT,
  error_text TEXT,
  offered_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX outbox_in_order ON outbox (key, position, part);
CREATE INDEX outbox_lanes ON outbox (platform, account, key, position, part) WHERE state IN ('queued', 'sending');
CREATE INDEX outbox_failed ON outbox (platform, account) WHERE state = 'failed';
CREATE INDEX outbox_uncertain ON outbox (key) WHERE state = 'uncertain' AND offered_at IS NULL;
CREATE INDEX outbox_sent ON outbox (receipt_message_id) WHERE receipt_message_id IS NOT NULL;
CREATE INDEX outbox_of_handoff ON outbox (handoff_id) WHERE handoff_id IS NOT NULL;
CREATE INDEX outbox_of_session ON outbox (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX outbox_of_message ON outbox (message_id);
CREATE INDEX outbox_by_age ON outbox (created_at);
CREATE TRIGGER outbox_row_deleted AFTER DELETE ON outbox BEGIN
  DELETE FROM outbox_messages
  WHERE id = old.message_id AND NOT EXISTS (SELECT 1 FROM outbox WHERE message_id = old.message_id);
END;

CREATE TABLE drafts (
  turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  conversation TEXT NOT NULL,
  message_id TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  holder_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gateways (
  id TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  config_path TEXT,
  platforms TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE refusals (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (platform, account)
) STRICT, WITHOUT ROWID;
`;

/** Version 2 finds the oldest open row of a lane without scanning everything that was ever sent there. */
export const VERSION_2 = `
CREATE INDEX outbox_of_lane ON outbox (key, position, part) WHERE state IN ('queued', 'sending');
`;

/** Version 4 stores the lines that were typed in a terminal while something ran there. */
export const VERSION_4 = `
CREATE TABLE typed_lines (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  holder_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  typed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX typed_lines_of_session ON typed_lines (session_id, number);
CREATE INDEX typed_lines_of_holder ON typed_lines (holder_id);
`;

/** Version 5 finds rows to prune without scanning everything that was ever said. */
export const VERSION_5 = `
CREATE INDEX turns_over ON turns (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX messages_over ON messages (hidden_at) WHERE hidden_at IS NOT NULL;
`;

/** Whether a gateway's config is still what it was started with. */
export const CONFIG_CHANGED = `
ALTER TABLE gateways ADD COLUMN config_changed INTEGER NOT NULL DEFAULT 0;
`;

/** Who wrote a turn's message. Existing turns have no author: it was not stored. */
export const TURN_AUTHOR = `
ALTER TABLE turns ADD COLUMN author TEXT;
`;

/** When the session of a conversation was deleted, until the conversation is bound again. */
export const LET_GO = `
CREATE TABLE let_go (
  key TEXT PRIMARY KEY,
  let_go_at INTEGER NOT NULL,
  -- When somebody who had written before that was told so.
  told_at INTEGER
) STRICT;
CREATE INDEX let_go_at ON let_go (let_go_at);
`;

/** Unties sessions of the terminal from the model that the config named when they began. */
export const MODEL_OF_CONFIG = `
UPDATE sessions SET model = NULL WHERE origin = 'terminal';
`;

/**
 * Leases, heartbeats and requests expire by the monotonic clock, see `expiry.ts`. Existing ones use wall time until they
 * are renewed.
 */
export const STEADY_CLOCK = `
ALTER TABLE leases ADD COLUMN lease_steady TEXT;
ALTER TABLE turns ADD COLUMN lease_steady TEXT;
ALTER TABLE typed_lines ADD COLUMN lease_steady TEXT;
ALTER TABLE handoffs ADD COLUMN lease_steady TEXT;
ALTER TABLE handoffs ADD COLUMN expires_steady TEXT;
ALTER TABLE gateways ADD COLUMN heartbeat_steady TEXT;
`;

/** What a model's provider wants back with a message. */
export const PROVIDER_PARTS = `
ALTER TABLE messages ADD COLUMN provider_parts TEXT;
`;

/** When a backup was restored: messages written before that were, or may have been, answered already. */
export const RESTORED = `
CREATE TABLE restored (at INTEGER NOT NULL) STRICT;
`;

/** Where the work of a session stands, as a model said it, and messages that edit another one. */
export const STATE_OF_WORK = `
ALTER TABLE sessions ADD COLUMN state TEXT;
ALTER TABLE outbox ADD COLUMN edits TEXT;
CREATE INDEX outbox_edits ON outbox (edits) WHERE edits IS NOT NULL;
`;
