import type { SessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import type { Session, SessionId, SessionMode, Surface, UserId, Visibility } from "../../model/session.ts";
import type { Context, SqlValue } from "./connection.ts";

export interface SessionRow {
  readonly id: SessionId;
  readonly title: string | null;
  readonly user: UserId;
  readonly origin: Surface;
  readonly origin_chat: SessionKey | null;
  readonly model: string | null;
  readonly working_directory: string | null;
  readonly mode: SessionMode;
  readonly last_surface: Surface;
  /** Where it was used before that, while that place is not told of it. */
  readonly left_surface: Surface | null;
  readonly unmarked_until: number;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly last_seq: number;
  readonly fence: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** Where the work stands, as a model said it; JSON. */
  readonly state: string | null;
  /** Where it goes by itself; JSON. */
  readonly away: string | null;
}

export function sessionRow({ db }: Context, id: SessionId): SessionRow | undefined {
  return db.get<SessionRow>("SELECT * FROM sessions WHERE id = ?", id);
}

export function unknownSession(reference: string): HermesError {
  return new HermesError("SESSION_UNKNOWN", { reference });
}

/** The columns that a session is made of in its public form. */
export type ListedRow = Omit<SessionRow, "last_seq" | "fence" | "state" | "away" | "left_surface">;

export function toSession(row: ListedRow): Session {
  return {
    id: row.id,
    title: row.title,
    user: row.user,
    origin: row.origin,
    originChat: row.origin_chat,
    model: row.model,
    workingDirectory: row.working_directory,
    mode: row.mode,
    lastSurface: row.last_surface,
    unmarkedUntil: row.unmarked_until,
    messageCount: row.message_count,
    toolCallCount: row.tool_call_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The SQL condition for the visible sessions, with its values. */
export function visibleTo(visible: Visibility): { readonly sql: string; readonly values: readonly SqlValue[] } {
  switch (visible.kind) {
    case "all":
      return { sql: "TRUE", values: [] };
    case "of-chat": {
      const { chat, here } = visible;
      // `>` follows `=` in ASCII: keys between `…=` and `…>` are those that begin with `…=`.
      const ofThreads = [`${chat}:t=`, `${chat}:t>`, `${chat}:u=`, `${chat}:u>`];
      return {
        sql: `(sessions.origin_chat = ? OR sessions.id IN (
          SELECT session_id FROM bindings
          WHERE key = ? OR (key = ? OR (key >= ? AND key < ?) OR (key >= ? AND key < ?))
            AND conversation ->> '$.isPrivate' IS NOT 1
        ))`,
        values: [chat, here, chat, ...ofThreads],
      };
    }
    case "begun-by":
      return { sql: "sessions.user = ?", values: [visible.user] };
  }
}
