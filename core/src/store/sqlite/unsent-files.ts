import type { SentFile } from "../../base/file-ref.ts";
import type { Context } from "./connection.ts";
import { filesOf } from "./messages.ts";
import type { TurnRow } from "./turn-rows.ts";

/** The files that calls of a turn sent, and that nothing has taken along which the turn has said. */
export function unsentFilesOf({ db }: Context, turn: TurnRow): SentFile[] {
  const after = Math.max(turn.files_up_to, turn.message_seq);
  return db
    .all<{ files: string }>(
      `SELECT files FROM messages WHERE session_id = ? AND turn_id = ? AND role = 'tool' AND files IS NOT NULL
         AND seq > ? AND hidden_at IS NULL ORDER BY seq`,
      turn.session_id,
      turn.id,
      after,
    )
    .flatMap(filesOf);
}
