import type { Holder, ProcessIdentity } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { CallProcess, Fence, TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import { isLive } from "./leases.ts";
import { ownTurn, turnRow } from "./turn-rows.ts";

interface ProcessRow {
  readonly turn_id: TurnId;
  readonly fence: number;
  readonly holder: string;
  readonly process: string;
  readonly outlives_call: number;
}

/** See TurnStore. For use inside a transaction, like everything here. */
export function noteProcess(
  context: Context,
  turnId: TurnId,
  fence: Fence,
  callId: ToolCall["id"],
  { outlivesCall = false, ...process }: CallProcess,
): void {
  const { db, clock } = context;
  const turn = ownTurn(context, turnId, fence);
  db.run(
    `INSERT OR REPLACE INTO call_processes (id, session_id, turn_id, call_id, fence, holder, process, outlives_call, noted_at)
     VALUES ($id, $session, $turn, $call, $fence, $holder, $process, $outlives, $now)`,
    {
      ...{ id: process.id, session: turn.session_id, turn: turnId, call: callId, fence, holder: turn.holder },
      ...{ process: JSON.stringify(process), outlives: outlivesCall ? 1 : 0, now: clock.now() },
    },
  );
}

/** Forgets the processes of a call that has ended, but for those that outlive it. */
export function forgetProcessesOf({ db }: Context, turnId: TurnId, callId: ToolCall["id"]): void {
  db.run("DELETE FROM call_processes WHERE turn_id = ? AND call_id = ? AND outlives_call = 0", turnId, callId);
}

/** The processes that nobody answers for, of one session or of all. */
export function leftRunning(context: Context, sessionId?: SessionId): ProcessIdentity[] {
  const { db } = context;
  const rows =
    sessionId === undefined
      ? db.all<ProcessRow>("SELECT * FROM call_processes")
      : db.all<ProcessRow>("SELECT * FROM call_processes WHERE session_id = ?", sessionId);
  return rows.filter((row) => isLeft(context, row)).map(({ process }) => JSON.parse(process) as ProcessIdentity);
}

function isLeft(context: Context, { turn_id, fence, holder, outlives_call }: ProcessRow): boolean {
  if (context.probe.fate(JSON.parse(holder) as Holder) === "gone") return true;
  if (outlives_call === 1) return false;
  const turn = turnRow(context, turn_id);
  return turn === undefined || turn.ended_at !== null || turn.fence !== fence || !isLive(context, turn);
}
