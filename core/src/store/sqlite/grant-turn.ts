import type { Holder } from "../../base/process-identity.ts";
import type { Surface } from "../../model/session.ts";
import type { Fence, StartTurnResult } from "../../model/turn.ts";
import { leftRunning } from "./call-processes.ts";
import type { Context } from "./connection.ts";
import { leaseEnd } from "./leases.ts";
import { messageAt, toMessage } from "./messages.ts";
import { type SessionRow, toSession } from "./session-rows.ts";
import { type TurnRow, toTurn } from "./turn-rows.ts";

/** The maximum number of attempts at a turn that crashes cut off, without a new result. */
export const ATTEMPTS = 3;

export type GrantedRow = Pick<
  TurnRow,
  | "id"
  | "session_id"
  | "inbox_id"
  | "handoff_id"
  | "ask_id"
  | "compacts"
  | "attempt"
  | "author"
  | "message_seq"
  | "tool_started"
  | "parked_at"
> &
  Partial<Pick<TurnRow, "files_up_to">>;

export interface LeaseRequest {
  readonly holder: Holder;
  readonly leaseMs: number;
  readonly surface: Surface;
}

/** Grants the lease of a new or an open turn, and raises the fence. For use inside a transaction. */
export function grant(
  context: Context,
  request: LeaseRequest,
  session: SessionRow,
  granted: GrantedRow,
): Extract<StartTurnResult, { readonly ok: true }> {
  const { db, clock } = context;
  const now = clock.now();
  const turn: TurnRow = {
    id: granted.id,
    session_id: granted.session_id,
    inbox_id: granted.inbox_id,
    handoff_id: granted.handoff_id,
    ask_id: granted.ask_id,
    compacts: granted.compacts,
    attempt: granted.attempt,
    author: granted.author,
    message_seq: granted.message_seq,
    tool_started: granted.tool_started,
    parked_at: granted.parked_at,
    files_up_to: granted.files_up_to ?? 0,
    state: "running",
    waits_for: null,
    park_requested: 0,
    decided_on: null,
    fence: session.fence + 1,
    holder: JSON.stringify(request.holder),
    ...leaseEnd(clock, request.leaseMs),
    surface: request.surface,
    stop_requested: 0,
    started_at: now,
    ended_at: null,
  };
  db.run(
    `INSERT INTO turns (
       id, session_id, inbox_id, handoff_id, ask_id, compacts, state, waits_for, park_requested, parked_at, decided_on, attempt, fence,
       holder, lease_until, lease_steady, surface, author, message_seq, tool_started, stop_requested, started_at, ended_at,
       files_up_to
     ) VALUES (
       $id, $session_id, $inbox_id, $handoff_id, $ask_id, $compacts, $state, $waits_for, $park_requested, $parked_at, $decided_on, $attempt,
       $fence, $holder, $lease_until, $lease_steady, $surface, $author, $message_seq, $tool_started, $stop_requested,
       $started_at, $ended_at, $files_up_to
     ) ON CONFLICT (id) DO UPDATE SET
       state = excluded.state, waits_for = excluded.waits_for, park_requested = excluded.park_requested,
       decided_on = excluded.decided_on, attempt = excluded.attempt, fence = excluded.fence, holder = excluded.holder,
       lease_until = excluded.lease_until, lease_steady = excluded.lease_steady, surface = excluded.surface,
       tool_started = excluded.tool_started, stop_requested = excluded.stop_requested, started_at = excluded.started_at,
       ended_at = excluded.ended_at`,
    { ...turn },
  );
  // A turn that was cut off has told nobody that the work goes on here.
  const isHere = session.last_surface === turn.surface;
  const previousSurface = (isHere ? session.left_surface : null) ?? session.last_surface;
  const current = db.get<SessionRow>(
    "UPDATE sessions SET fence = ?, last_surface = ?, left_surface = ?, updated_at = ? WHERE id = ? RETURNING *",
    turn.fence,
    turn.surface,
    previousSurface === turn.surface ? null : previousSurface,
    now,
    session.id,
  );
  db.run("UPDATE bindings SET used_at = ? WHERE key = ?", now, turn.surface);
  if (turn.inbox_id !== null) {
    db.run("UPDATE inbox SET state = 'running' WHERE id = ? AND done_at IS NULL", turn.inbox_id);
  }
  const message = messageAt(context, session.id, turn.message_seq);
  if (!message || !current) throw new TypeError("A turn has lost its message.");
  return {
    ok: true,
    turn: toTurn(turn),
    fence: turn.fence as Fence,
    session: toSession(current),
    message: toMessage(message),
    previousSurface,
    leftRunning: leftRunning(context, session.id),
  };
}
