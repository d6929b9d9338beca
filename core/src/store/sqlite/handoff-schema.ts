/** Drops the former session of a handoff's place: the binding has it. */
export const FORMER_SESSION_ONCE = `
ALTER TABLE handoffs DROP COLUMN previous_session_id;
`;

/**
 * Where a handoff goes: the account, and a conversation that is not its home channel, as JSON. One that an earlier Hermes
 * had in flight goes to the account at whose place it landed, else to the one that took the platform's handoffs.
 */
export const TARGET_OF_HANDOFF = `
ALTER TABLE handoffs ADD COLUMN account TEXT;
ALTER TABLE handoffs ADD COLUMN target TEXT;
ALTER TABLE handoffs ADD COLUMN left_surface TEXT;
ALTER TABLE handoffs ADD COLUMN offered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX handoffs_offered ON handoffs (number) WHERE offered = 1;
UPDATE handoffs SET
  left_surface = from_surface,
  account = coalesce(conversation ->> '$.account', (
    SELECT served.value ->> '$.account' FROM gateways, json_each(gateways.platforms) AS served
    WHERE state IN ('pending', 'running') AND conversation IS NULL
      AND served.value ->> '$.platform' = handoffs.platform AND served.value ->> '$.takesHandoffs'
    LIMIT 1
  ));
`;

/** Where a handoff landed, by the names that people see. */
export const PLACE_OF_HANDOFF = `
ALTER TABLE handoffs ADD COLUMN place TEXT;
`;

/**
 * Whether a thread was opened for a handoff that is not removed yet, should the handoff fail. Of handoffs from before nobody
 * knows.
 */
export const OPENED_THREAD = `
ALTER TABLE handoffs ADD COLUMN thread_opened INTEGER NOT NULL DEFAULT 0;
CREATE INDEX handoffs_left_threads ON handoffs (number) WHERE state = 'failed' AND thread_opened = 1;
`;

/** Which place a session was used at before, until that is told where it goes on. */
export const LEFT_SURFACE = `
ALTER TABLE sessions ADD COLUMN left_surface TEXT;
`;

/** Where a session goes by itself when nobody is at the terminal, and which handoffs came of that. */
export const AWAY = `
ALTER TABLE sessions ADD COLUMN away TEXT;
CREATE INDEX sessions_away ON sessions (id) WHERE away IS NOT NULL;
ALTER TABLE handoffs ADD COLUMN away INTEGER NOT NULL DEFAULT 0;
`;
