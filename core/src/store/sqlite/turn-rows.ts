import { HermesError } from "../../base/errors.ts";
import { shortName } from "../../base/one-line.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { AskId } from "../../model/ask.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { InboxId } from "../../model/inbox.ts";
import { placeName } from "../../model/place-name.ts";
import { busyError } from "../../model/refusals.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { Fence, Turn, TurnAuthor, TurnCause, TurnId, TurnMarks, TurnState, WaitReason } from "../../model/turn.ts";
import { bindingRow, toBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { isLive, type LeaseEnd } from "./leases.ts";

/** `stop_requested` of a turn whose author has lost the right to it; 1 where somebody stopped it. */
export const REVOKED = 2;

export interface TurnRow extends LeaseEnd {
  readonly id: TurnId;
  readonly session_id: SessionId;
  readonly inbox_id: InboxId | null;
  readonly handoff_id: HandoffId | null;
  readonly ask_id: AskId | null;
  /** 1 where it makes a compaction, and answers nobody. */
  readonly compacts: number;
  readonly state: TurnState;
  readonly waits_for: WaitReason | null;
  readonly park_requested: number;
  readonly parked_at: number | null;
  readonly decided_on: Surface | null;
  readonly attempt: number;
  readonly fence: number;
  readonly holder: string;
  readonly surface: Surface;
  readonly author: string | null;
  readonly message_seq: number;
  readonly tool_started: number;
  readonly stop_requested: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly files_up_to: number;
}

export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    sessionId: row.session_id,
    cause: causeOf(row),
    state: row.state,
    waitsFor: row.waits_for,
    parkRequested: row.park_requested === 1,
    attempt: row.attempt,
    fence: row.fence as Fence,
    holder: JSON.parse(row.holder) as Holder,
    surface: row.surface,
    author: row.author === null ? null : (JSON.parse(row.author) as TurnAuthor),
    toolStarted: row.tool_started === 1,
    stopRequested: row.stop_requested > 0,
    isRevoked: row.stop_requested === REVOKED,
    filesUpTo: row.files_up_to,
    startedAt: row.started_at,
  };
}

function causeOf(row: TurnRow): TurnCause {
  if (row.inbox_id !== null) return { kind: "inbox", inboxId: row.inbox_id };
  if (row.handoff_id !== null) return { kind: "handoff", handoffId: row.handoff_id };
  if (row.ask_id !== null) return { kind: "offer", askId: row.ask_id };
  return { kind: row.compacts === 1 ? "compact" : "terminal" };
}

export function turnRow({ db }: Context, id: TurnId): TurnRow | undefined {
  return db.get<TurnRow>("SELECT * FROM turns WHERE id = ?", id);
}

type MarksRow = Pick<TurnRow, "id" | "fence" | "park_requested" | "stop_requested">;

/** See TurnStore. */
export function marksOf({ db }: Context, ids: readonly TurnId[]): TurnMarks[] {
  return db
    .all<MarksRow>(
      `SELECT id, fence, park_requested, stop_requested FROM turns
       WHERE id IN (SELECT value FROM json_each(?)) AND (park_requested = 1 OR stop_requested > 0)`,
      JSON.stringify(ids),
    )
    .map((row) => ({
      id: row.id,
      fence: row.fence as Fence,
      parkRequested: row.park_requested === 1,
      stopRequested: row.stop_requested > 0,
      isRevoked: row.stop_requested === REVOKED,
    }));
}

/** The earlier turn of an inbox row or a handoff; of every other cause, each starts a new turn. */
export function turnOfCause({ db }: Context, cause: TurnCause): TurnRow | undefined {
  switch (cause.kind) {
    case "terminal":
    case "compact":
    case "offer":
      return undefined;
    case "inbox":
      return db.get<TurnRow>("SELECT * FROM turns WHERE inbox_id = ?", cause.inboxId);
    case "handoff":
      return db.get<TurnRow>("SELECT * FROM turns WHERE handoff_id = ?", cause.handoffId);
  }
}

/** The turn of a session that has not ended, whether or not its holder is alive. */
export function openTurn({ db }: Context, sessionId: SessionId): TurnRow | undefined {
  return db.get<TurnRow>("SELECT * FROM turns WHERE session_id = ? AND ended_at IS NULL", sessionId);
}

/** The turn that holds the lease of a session. */
export function liveTurn(context: Context, sessionId: SessionId): TurnRow | undefined {
  const turn = openTurn(context, sessionId);
  return turn && holdsLease(context, turn) ? turn : undefined;
}

export function holdsLease(context: Context, turn: TurnRow): boolean {
  return turn.state === "running" && turn.ended_at === null && isLive(context, turn);
}

/** Whether an open turn that holds no lease is gone on with, by `resumeTurn`, instead of being closed as stale. */
export function isResumable({ state, parked_at: parkedAt }: TurnRow): boolean {
  return state === "waiting" || parkedAt !== null;
}

/**
 * The turn that a write belongs to. Throws TURN_SUPERSEDED if it has ended or waits, or another was granted the lease
 * since.
 */
export function ownTurn({ db }: Context, id: TurnId, fence: Fence): TurnRow {
  const turn = db.get<TurnRow>(
    // No join: with one, SQLite plans the statement anew for every call, which takes ten times as long as running it.
    `SELECT * FROM turns WHERE id = ? AND fence = ? AND ended_at IS NULL AND state = 'running'
       AND fence = (SELECT fence FROM sessions WHERE sessions.id = turns.session_id)`,
    id,
    fence,
  );
  if (!turn) throw new HermesError("TURN_SUPERSEDED", {});
  return turn;
}

/** Throws SESSION_BUSY while a turn runs in the session. */
export function assertNoTurn(context: Context, sessionId: SessionId): void {
  const turn = liveTurn(context, sessionId);
  if (!turn) return;
  const binding = turn.surface === "terminal" ? undefined : bindingRow(context, turn.surface);
  const named = context.db.get<{ name: string | null }>(
    "SELECT coalesce(name, called) AS name FROM places WHERE key = ?",
    turn.surface,
  );
  const place = placeName(turn.surface, binding && toBinding(binding).conversation, shortName(named?.name ?? ""));
  throw busyError({ place, since: turn.started_at }, context.clock.now());
}
