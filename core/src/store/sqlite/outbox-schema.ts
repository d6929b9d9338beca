/**
 * Version 6 keeps refused messages like uncertain ones: which notice offers them, and whether they were reported.
 * Messages refused before are offered from now on, but not reported one by one; those of failed handoffs are cancelled.
 */
export const VERSION_6 = `
ALTER TABLE outbox ADD COLUMN offered_by TEXT;
ALTER TABLE outbox ADD COLUMN told_at INTEGER;
UPDATE outbox SET state = 'cancelled'
WHERE state IN ('failed', 'uncertain') AND handoff_id IN (SELECT id FROM handoffs WHERE state = 'failed');
UPDATE outbox SET told_at = created_at WHERE state = 'failed';
DROP INDEX outbox_uncertain;
CREATE INDEX outbox_undelivered ON outbox (key, position, part) WHERE state IN ('failed', 'uncertain');
CREATE INDEX outbox_offers ON outbox (offered_by) WHERE offered_by IS NOT NULL;
`;

/** Whether a streamed answer was shown completely: then its last edit is left out, and cannot be refused. */
export const SHOWN_WHOLE = `
ALTER TABLE drafts ADD COLUMN shown TEXT;
`;

/** Messages are due by the monotonic clock, too. */
export const STEADY_OUTBOX = `
ALTER TABLE outbox ADD COLUMN due_steady TEXT;
`;

/** Which process began the call of a row that is `sending`. */
export const SENDER = `
ALTER TABLE outbox ADD COLUMN sender TEXT;
`;

/**
 * Which messages are said at their place by nobody but by hand: `offered_at` 0 said so before. Those that a restore
 * held back have been told of. And how often a message was taken and refused later: each time it is sent under another
 * key.
 */
export const BY_HAND_ONLY = `
ALTER TABLE outbox ADD COLUMN by_hand_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN refused_late INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET by_hand_only = 1, offered_at = NULL WHERE offered_at = 0;
UPDATE outbox SET told_at = created_at
WHERE by_hand_only = 1 AND state = 'uncertain' AND told_at IS NULL AND error_text LIKE 'It waited when the backup of %';
`;
