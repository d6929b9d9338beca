/**
 * Keeps turns that wait, and what people are asked meanwhile. A draft belongs to the lease in which it was begun, and the
 * message that completes it knows its key: a turn that goes on after it was parked begins another one.
 */
export const WAITING_TURNS = `
ALTER TABLE sessions ADD COLUMN mode TEXT NOT NULL DEFAULT 'default';
ALTER TABLE turns ADD COLUMN waits_for TEXT;
ALTER TABLE turns ADD COLUMN park_requested INTEGER NOT NULL DEFAULT 0;
-- When it was parked last: whoever meets it without a lease goes on with it instead of closing it.
ALTER TABLE turns ADD COLUMN parked_at INTEGER;
-- Where the last decision was made, until the turn goes on.
ALTER TABLE turns ADD COLUMN decided_on TEXT;

CREATE TABLE approvals (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  tool TEXT NOT NULL,
  summary TEXT NOT NULL,
  detail TEXT NOT NULL,
  digest TEXT NOT NULL,
  rules TEXT NOT NULL,
  answers TEXT NOT NULL,
  messages TEXT NOT NULL,
  state TEXT NOT NULL,
  decision TEXT,
  decided_by TEXT,
  decided_at INTEGER,
  decided_on TEXT,
  asked_at INTEGER NOT NULL,
  expires_at INTEGER,
  expires_steady TEXT
) STRICT;
CREATE UNIQUE INDEX approvals_code ON approvals (code COLLATE NOCASE);
CREATE INDEX approvals_of_turn ON approvals (turn_id, number);
CREATE INDEX approvals_of_session ON approvals (session_id, number);
CREATE INDEX approvals_open ON approvals (number) WHERE state = 'open';

ALTER TABLE outbox ADD COLUMN approval_id TEXT;
-- What the row is of its approval: above the question, the question itself, or what closes it.
ALTER TABLE outbox ADD COLUMN approval_part TEXT;
CREATE INDEX outbox_of_approval ON outbox (approval_id) WHERE approval_id IS NOT NULL;

ALTER TABLE outbox ADD COLUMN draft_key TEXT;
CREATE TABLE keyed_drafts (
  send_key TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  conversation TEXT NOT NULL,
  message_id TEXT,
  shown TEXT,
  -- Whether a message that completes it is stored.
  completed INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO keyed_drafts
SELECT 'draft:' || turn_id, turn_id, key, conversation, message_id, shown,
  (SELECT ended_at IS NOT NULL FROM turns WHERE id = drafts.turn_id)
FROM drafts;
DROP TABLE drafts;
ALTER TABLE keyed_drafts RENAME TO drafts;
CREATE INDEX drafts_of_turn ON drafts (turn_id);
UPDATE outbox SET draft_key = (SELECT send_key FROM drafts WHERE turn_id = outbox.turn_id AND key = outbox.key)
WHERE state IN ('queued', 'sending') AND turn_id IS NOT NULL AND id = (
  SELECT id FROM outbox AS first WHERE first.key = outbox.key AND first.turn_id = outbox.turn_id
    AND first.state IN ('queued', 'sending') ORDER BY position, part LIMIT 1
);
`;

/** When the operators were reminded of an open question. */
export const REMINDED = `
ALTER TABLE approvals ADD COLUMN reminded_at INTEGER;
`;

/**
 * Finds what there is to do about turns that wait without looking at each of them: those that nothing keeps from going on,
 * questions that expire, by either clock, the questions of a place, and those that nobody was reminded of.
 */
export const WAITING_AT_REST = `
ALTER TABLE turns ADD COLUMN open_questions INTEGER NOT NULL DEFAULT 0;
UPDATE turns SET open_questions = (SELECT count(*) FROM approvals WHERE turn_id = turns.id AND state = 'open')
WHERE id IN (SELECT turn_id FROM approvals WHERE state = 'open');
CREATE TRIGGER question_opened AFTER INSERT ON approvals WHEN new.state = 'open' BEGIN
  UPDATE turns SET open_questions = open_questions + 1 WHERE id = new.turn_id;
END;
CREATE TRIGGER question_over AFTER UPDATE OF state ON approvals WHEN old.state = 'open' AND new.state != 'open' BEGIN
  UPDATE turns SET open_questions = open_questions - 1 WHERE id = new.turn_id;
END;
CREATE INDEX turns_unasked ON turns (started_at, id) WHERE ended_at IS NULL AND open_questions = 0;
CREATE INDEX approvals_by_wall ON approvals (expires_at) WHERE state = 'open';
CREATE INDEX approvals_by_steady ON approvals (
  substr(expires_steady, instr(expires_steady, ' ') + 1), CAST(expires_steady AS REAL)
) WHERE state = 'open';
CREATE INDEX approvals_unreminded ON approvals (asked_at) WHERE state = 'open' AND reminded_at IS NULL;
CREATE INDEX outbox_asks ON outbox (key, approval_id) WHERE approval_part = 'asks' AND approval_id IS NOT NULL;
`;

/** How long a request waits once no turn is in its way, and where the turn was that the handoff takes along. */
export const TURN_OF_HANDOFF = `
ALTER TABLE handoffs ADD COLUMN ttl_ms INTEGER;
ALTER TABLE handoffs ADD COLUMN turn_surface TEXT;
UPDATE handoffs SET ttl_ms = expires_at - requested_at;
`;
