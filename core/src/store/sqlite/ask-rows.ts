import type { OutboundMessage } from "../../adapter/message.ts";
import type { Ask, AskId, AskState } from "../../model/ask.ts";
import type { SessionId, Surface, UserId } from "../../model/session.ts";
import type { Context, SqlValue } from "./connection.ts";

export interface AskRow {
  readonly id: AskId;
  readonly kind: Ask["kind"];
  readonly state: AskState;
  readonly person: UserId;
  readonly surface: Surface;
  readonly session_id: SessionId | null;
  readonly fresh_id: SessionId | null;
  readonly message: string;
  readonly outcomes: string;
  readonly wanted_at: number | null;
  readonly created_at: number;
  readonly decided_at: number | null;
  readonly expires_at: number;
  readonly expires_steady: string | null;
}

export function toAsk(row: AskRow): Ask {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    person: row.person,
    surface: row.surface,
    sessionId: row.session_id,
    fresh: row.fresh_id,
    message: JSON.parse(row.message) as OutboundMessage,
    outcomes: JSON.parse(row.outcomes) as Ask["outcomes"],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Selects asks, the oldest first; `condition` follows WHERE. */
export function askRows({ db }: Context, condition: string, ...values: SqlValue[]): AskRow[] {
  return db.all<AskRow>(`SELECT * FROM asks WHERE ${condition} ORDER BY number`, ...values);
}

export function askRow(context: Context, id: AskId): AskRow | undefined {
  return askRows(context, "id = ?", id)[0];
}
