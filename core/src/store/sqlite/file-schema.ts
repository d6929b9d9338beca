/** The files that a message of a transcript names, as JSON. The index has all of them, so that few rows are read. */
export const FILES_OF_MESSAGES = `
ALTER TABLE messages ADD COLUMN files TEXT;
CREATE INDEX messages_with_files ON messages (files) WHERE files IS NOT NULL;
`;
