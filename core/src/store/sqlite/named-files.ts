import type { FileNames } from "../store.ts";
import type { Context } from "./connection.ts";

/**
 * The hashes of `$hashes` that a row names: of a transcript, also one that was taken out of it, or of a message that
 * waits.
 */
const NAMED = `
WITH wanted AS (SELECT value AS hash FROM json_each($hashes))
SELECT file.value ->> '$.hash' AS hash
  FROM messages INDEXED BY messages_with_files, json_each(messages.files) AS file
  WHERE messages.files IS NOT NULL AND file.value ->> '$.hash' IN (SELECT hash FROM wanted)
UNION
SELECT file.value ->> '$.hash'
  FROM inbox, json_each(inbox.message, '$.attachments') AS file
  WHERE inbox.done_at IS NULL AND file.value ->> '$.hash' IN (SELECT hash FROM wanted)
UNION
SELECT file.value ->> '$.hash'
  FROM outbox JOIN outbox_messages ON outbox_messages.id = outbox.message_id,
    json_each(outbox_messages.message, '$.files') AS file
  WHERE outbox.state IN ('queued', 'sending', 'failed', 'uncertain')
    AND file.value ->> '$.hash' IN (SELECT hash FROM wanted)`;

export function sqliteFileNames({ db }: Context): FileNames {
  return {
    named: (hashes) =>
      db.read(() => db.all<{ hash: string }>(NAMED, { hashes: JSON.stringify(hashes) }).map(({ hash }) => hash)),
  };
}
