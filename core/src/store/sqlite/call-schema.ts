/**
 * Keeps how far each tool call of a turn is. Of turns that an earlier Hermes left open, nobody knows which call had begun:
 * each one without a result counts as begun.
 */
export const CALLS = `
CREATE TABLE calls (
  number INTEGER PRIMARY KEY,
  turn_id TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  begun_at INTEGER,
  -- Whether it only reads, so that it may run again.
  repeats INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER,
  UNIQUE (turn_id, call_id)
) STRICT;
INSERT OR IGNORE INTO calls (turn_id, call_id, begun_at, ended_at)
SELECT turns.id, call.value ->> 'id', messages.created_at, (
  SELECT max(result.created_at) FROM messages AS result
  WHERE result.session_id = turns.session_id AND result.turn_id = turns.id AND result.role = 'tool'
    AND result.tool_call_id = call.value ->> 'id'
)
FROM turns
JOIN messages ON messages.session_id = turns.session_id AND messages.turn_id = turns.id AND messages.hidden_at IS NULL
JOIN json_each(messages.tool_calls) AS call
WHERE turns.ended_at IS NULL AND messages.tool_calls IS NOT NULL
ORDER BY messages.seq, call.key;
`;

/**
 * Keeps what calls have started, until somebody has seen its end: longer than its turn and its session, so that none is
 * left running unseen.
 */
export const CALL_PROCESSES = `
CREATE TABLE call_processes (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  -- Who answers for it: the turn's holder.
  fence INTEGER NOT NULL,
  holder TEXT NOT NULL,
  process TEXT NOT NULL,
  outlives_call INTEGER NOT NULL,
  noted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX call_processes_by_session ON call_processes (session_id);
`;
