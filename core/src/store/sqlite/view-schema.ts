/**
 * Keeps who has a session open, and what a turn says while it is viewed. The text goes with the step that is stored, and
 * with the lease under which it was said: the triggers see to it whoever writes that.
 */
export const VIEWS = `
CREATE TABLE views (
  holder_id TEXT NOT NULL,
  surface TEXT NOT NULL,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  holder TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL,
  active_steady TEXT,
  lease_until INTEGER NOT NULL,
  lease_steady TEXT,
  PRIMARY KEY (holder_id, surface)
) STRICT, WITHOUT ROWID;
CREATE INDEX views_of_session ON views (session_id);

CREATE TABLE growing_texts (
  turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
  after_seq INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER growing_text_stored AFTER INSERT ON messages WHEN NEW.turn_id IS NOT NULL BEGIN
  DELETE FROM growing_texts WHERE turn_id = NEW.turn_id;
END;
CREATE TRIGGER growing_text_left AFTER UPDATE OF state, fence ON turns BEGIN
  DELETE FROM growing_texts WHERE turn_id = NEW.id;
END;
`;

/** What a turn's running call puts out grows as well: then the row names the call. */
export const OUTPUT_OF_CALL = "ALTER TABLE growing_texts ADD COLUMN call_id TEXT;";
