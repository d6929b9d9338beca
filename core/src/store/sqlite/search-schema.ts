/**
 * Indexes messages in the background, up to a number; see `word-index.ts`. Messages above it are not in the index, so
 * they are not removed from it either; a reused number below it is indexed at once.
 */
export const WORDS_BEHIND = `
CREATE TABLE words_indexed (up_to INTEGER NOT NULL) STRICT;
INSERT INTO words_indexed SELECT coalesce(max(number), 0) FROM messages;
DROP TRIGGER message_written;
CREATE TRIGGER message_written AFTER INSERT ON messages
WHEN new.number <= (SELECT up_to FROM words_indexed) BEGIN
  INSERT INTO message_words (rowid, text) VALUES (new.number, new.text);
END;
DROP TRIGGER message_hidden;
CREATE TRIGGER message_hidden AFTER UPDATE OF hidden_at ON messages
WHEN old.hidden_at IS NULL AND new.hidden_at IS NOT NULL AND old.number <= (SELECT up_to FROM words_indexed) BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;
DROP TRIGGER message_deleted;
CREATE TRIGGER message_deleted AFTER DELETE ON messages
WHEN old.hidden_at IS NULL AND old.number <= (SELECT up_to FROM words_indexed) BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;
`;

/**
 * An index of words as `search-words.ts` makes them, without texts. Existing messages are indexed again after the start,
 * in the background. Only messages up to the number `indexed.up_to` are in the index. It is lowered when the last
 * messages are deleted, so that a reused number is above it.
 */
export const PARTS_OF_WORDS = `
DROP TRIGGER message_written;
DROP TRIGGER message_hidden;
DROP TRIGGER message_deleted;
DROP TABLE message_words;
DROP VIEW readable_messages;
DROP TABLE words_indexed;
CREATE VIRTUAL TABLE message_index USING fts5(
  words, signs, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
CREATE TABLE indexed (up_to INTEGER NOT NULL) STRICT;
INSERT INTO indexed VALUES (0);
CREATE TRIGGER message_hidden AFTER UPDATE OF hidden_at ON messages
WHEN old.hidden_at IS NULL AND new.hidden_at IS NOT NULL AND old.number <= (SELECT up_to FROM indexed) BEGIN
  DELETE FROM message_index WHERE rowid = old.number;
END;
CREATE TRIGGER message_deleted AFTER DELETE ON messages WHEN old.number <= (SELECT up_to FROM indexed) BEGIN
  DELETE FROM message_index WHERE rowid = old.number AND old.hidden_at IS NULL;
  UPDATE indexed SET up_to = (SELECT coalesce(max(number), 0) FROM messages)
  WHERE up_to > (SELECT coalesce(max(number), 0) FROM messages);
END;
`;
