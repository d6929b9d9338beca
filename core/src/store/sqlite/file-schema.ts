/** The files that a message of a transcript names, as JSON. The index has all of them, so that few rows are read. */
export const FILES_OF_MESSAGES = `
ALTER TABLE messages ADD COLUMN files TEXT;
CREATE INDEX messages_with_files ON messages (files) WHERE files IS NOT NULL;
`;

/** Up to which message of a turn what it has said took the files along that its calls sent. */
export const FILES_OF_TURNS = `
ALTER TABLE turns ADD COLUMN files_up_to INTEGER NOT NULL DEFAULT 0;
`;
