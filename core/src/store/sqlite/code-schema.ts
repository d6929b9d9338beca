/**
 * Codes are kept by a key that is not in the file from now on. Those of before, whose plain digests anybody could search
 * through, are over: they live minutes. A pass that is in use stays, since its code is worth nothing any more. Wrong codes
 * are counted once a message.
 */
export const CODE_KEYS = `
UPDATE codes SET state = 'revoked', ended_at = created_at WHERE state = 'open' OR (state = 'taken' AND kind <> 'pass');
UPDATE codes SET hash = 'none ' || number;
ALTER TABLE wrong_codes ADD COLUMN messages TEXT NOT NULL DEFAULT '[]';
`;

/**
 * Keeps link codes, pairing codes and passes, and counts wrong ones. A pass ends with the binding that it made: the
 * triggers see to it whoever changes that.
 */
export const CODES = `
CREATE TABLE codes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  issuer TEXT,
  person TEXT,
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
  -- Who asked for it, or sent it, as JSON; and a digest of which account and identity that is.
  who TEXT,
  identity TEXT,
  platform TEXT,
  account TEXT,
  -- Where it was used, and by which message.
  key TEXT,
  message_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  expires_steady TEXT,
  ended_at INTEGER
) STRICT;
CREATE INDEX codes_of_kind ON codes (kind, number) WHERE state IN ('open', 'taken');
CREATE INDEX codes_of_identity ON codes (identity) WHERE kind = 'pairing';
CREATE INDEX codes_of_session ON codes (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX codes_at ON codes (key) WHERE kind = 'pass' AND state = 'taken';
CREATE INDEX codes_over ON codes (expires_at);

CREATE TRIGGER pass_left AFTER INSERT ON bindings BEGIN
  UPDATE codes SET state = 'over', ended_at = NEW.bound_at
  WHERE kind = 'pass' AND state = 'taken' AND key = NEW.key AND session_id <> NEW.session_id;
END;
CREATE TRIGGER pass_moved AFTER UPDATE OF key, session_id ON bindings BEGIN
  UPDATE codes SET state = 'over', ended_at = NEW.bound_at
  WHERE kind = 'pass' AND state = 'taken' AND key = OLD.key
    AND (key <> NEW.key OR session_id <> NEW.session_id);
END;
CREATE TRIGGER pass_unbound AFTER DELETE ON bindings BEGIN
  UPDATE codes SET state = 'over', ended_at = OLD.used_at
  WHERE kind = 'pass' AND state = 'taken' AND key = OLD.key;
END;

-- identity: a digest; empty for what is counted of the account.
CREATE TABLE wrong_codes (
  platform TEXT NOT NULL,
  account TEXT NOT NULL,
  identity TEXT NOT NULL,
  count INTEGER NOT NULL,
  at INTEGER NOT NULL,
  steady TEXT,
  PRIMARY KEY (platform, account, identity)
) STRICT;
CREATE INDEX wrong_codes_at ON wrong_codes (at);
`;
