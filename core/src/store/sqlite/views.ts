import type { Holder } from "../../base/process-identity.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { Fence, TurnId } from "../../model/turn.ts";
import type { GrowingTurn, View } from "../../model/view.ts";
import type { ViewStore } from "../view-store.ts";
import type { Context } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";
import { isLive, type LeaseEnd, leaseEnd } from "./leases.ts";
import { sessionRow } from "./session-rows.ts";
import { readable } from "./text.ts";
import { liveTurn, ownTurn, toTurn, turnRow } from "./turn-rows.ts";

/** Milliseconds for which the view of a process that did not close it is kept. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export interface ViewRow extends LeaseEnd {
  readonly holder_id: string;
  readonly surface: Surface;
  readonly session_id: SessionId;
  readonly holder: string;
  readonly opened_at: number;
  readonly active_at: number;
  readonly active_steady: string | null;
}

export function sqliteViews(context: Context): ViewStore {
  const { db, clock } = context;
  return {
    keep: ({ sessionId, holder, surface, restedMs, leaseMs }) =>
      db.write(() => {
        if (!sessionRow(context, sessionId)) return false;
        const now = clock.now();
        db.run(
          `INSERT INTO views (
             holder_id, surface, session_id, holder, opened_at, active_at, active_steady, lease_until, lease_steady
           ) VALUES (
             $holder_id, $surface, $session_id, $holder, $now, $active_at, $active_steady, $lease_until, $lease_steady
           ) ON CONFLICT (holder_id, surface) DO UPDATE SET
             opened_at = CASE session_id WHEN excluded.session_id THEN opened_at ELSE excluded.opened_at END,
             session_id = excluded.session_id, active_at = excluded.active_at, active_steady = excluded.active_steady,
             lease_until = excluded.lease_until, lease_steady = excluded.lease_steady`,
          {
            ...{ holder_id: holder.id, surface, session_id: sessionId, holder: JSON.stringify(holder), now },
            ...{ active_at: now - restedMs, active_steady: steadyIn(clock, -restedMs) },
            ...leaseEnd(clock, leaseMs),
          },
        );
        // Deletes the views of killed processes, which cannot do it themselves.
        db.run("DELETE FROM views WHERE lease_until < ? AND holder_id <> ?", now - KEPT_MS, holder.id);
        return true;
      }),

    close: (holder, surface) =>
      db.write(() => {
        if (surface === undefined) db.run("DELETE FROM views WHERE holder_id = ?", holder.id);
        else db.run("DELETE FROM views WHERE holder_id = ? AND surface = ?", holder.id, surface);
      }),

    of: (sessionId) => db.read(() => liveViews(context, sessionId).map((row) => toView(context, row))),
  };
}

function liveViews(context: Context, sessionId: SessionId): ViewRow[] {
  return context.db
    .all<ViewRow>("SELECT * FROM views WHERE session_id = ? ORDER BY opened_at, holder_id, surface", sessionId)
    .filter((row) => isLive(context, row));
}

function toView({ clock }: Context, row: ViewRow): View {
  return {
    sessionId: row.session_id,
    holder: JSON.parse(row.holder) as Holder,
    surface: row.surface,
    openedAt: row.opened_at,
    activeAt: row.active_at,
    restedMs: Math.max(0, since(clock, row.active_at, row.active_steady)),
  };
}

/** Whether the session of a turn is open anywhere but where the turn is shown as it runs. */
export function isViewedElsewhere(context: Context, turnId: TurnId): boolean {
  const turn = turnRow(context, turnId);
  if (!turn) return false;
  const { id } = JSON.parse(turn.holder) as Holder;
  return liveViews(context, turn.session_id).some((view) => view.holder_id !== id || view.surface !== turn.surface);
}

/** Whether a conversation shows the session of a turn. A terminal shows what its own calls put out, and no others. */
export function isViewedInChat(context: Context, turnId: TurnId): boolean {
  const turn = turnRow(context, turnId);
  return turn !== undefined && liveViews(context, turn.session_id).some(({ surface }) => surface !== "terminal");
}

/** See TurnStore. For use inside a transaction. `callId`: the call that puts it out; null for what the turn says. */
export function noteGrowing(
  context: Context,
  turnId: TurnId,
  fence: Fence,
  { text, callId }: { readonly text: string; readonly callId: ToolCall["id"] | null },
): void {
  const turn = ownTurn(context, turnId, fence);
  context.db.run(
    "INSERT OR REPLACE INTO growing_texts (turn_id, after_seq, text, call_id) VALUES (?, ?, ?, ?)",
    turnId,
    lastOf(context, turn),
    readable(text),
    callId,
  );
}

/** See TurnStore. */
export function growingTurn(context: Context, sessionId: SessionId): GrowingTurn | null {
  const turn = liveTurn(context, sessionId);
  if (!turn) return null;
  const noted = context.db.get<{ text: string; after_seq: number }>(
    "SELECT text, after_seq FROM growing_texts WHERE turn_id = ? AND call_id IS NULL",
    turn.id,
  );
  return { turn: toTurn(turn), text: noted?.text ?? null, after: noted?.after_seq ?? lastOf(context, turn) };
}

function lastOf({ db }: Context, turn: { readonly id: TurnId; readonly session_id: SessionId }): number {
  const last = db.get<{ seq: number }>(
    "SELECT seq FROM messages WHERE session_id = ? AND turn_id = ? ORDER BY seq DESC LIMIT 1",
    turn.session_id,
    turn.id,
  );
  return last?.seq ?? 0;
}
