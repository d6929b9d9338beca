import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { FinishTurn, TurnId, UndoneExchange } from "../../model/turn.ts";
import type { TurnStore } from "../work-stores.ts";
import { type BindingRow, bindingOfHandoff, bindingRow, toBinding } from "./binding-rows.ts";
import { leftRunning, noteProcess } from "./call-processes.ts";
import { appendToTurn, beginCall, settleOpenCalls } from "./calls.ts";
import { closeStaleTurn, endTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { assertNoneInFlight, noteAnswered } from "./handoff-rows.ts";
import { finishInbox } from "./inbox-rows.ts";
import { leaseEnd } from "./leases.ts";
import { addMessages, hideMessages } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { sessionRow } from "./session-rows.ts";
import { startTurn } from "./start-turn.ts";
import { assertNoTurn, liveTurn, ownTurn, type TurnRow, toTurn, turnRow } from "./turn-rows.ts";

export function sqliteTurns(context: Context): TurnStore {
  const { db, clock } = context;
  return {
    startTurn: (request) => db.write(() => startTurn(context, request)),

    renewTurn: (turnId, fence, leaseMs) =>
      db.write(
        () =>
          db.run(
            `UPDATE turns SET lease_until = $lease_until, lease_steady = $lease_steady
             WHERE id = $id AND fence = $fence AND ended_at IS NULL`,
            { ...leaseEnd(clock, leaseMs), id: turnId, fence },
          ) > 0,
      ),

    append: (turnId, fence, messages) =>
      db.write(() => appendToTurn(context, ownTurn(context, turnId, fence), messages)),

    beginCall: (turnId, fence, call) => db.write(() => beginCall(context, turnId, fence, call)),

    noteProcess: (turnId, fence, callId, process) =>
      db.write(() => noteProcess(context, turnId, fence, callId, process)),

    leftRunning: () => db.read(() => leftRunning(context)),

    processEnded: (id) =>
      db.write(() => {
        db.run("DELETE FROM call_processes WHERE id = ?", id);
      }),

    finishTurn: (request) => db.write(() => finishTurn(context, request)),

    running: (sessionId) =>
      db.read(() => {
        const turn = liveTurn(context, sessionId);
        return turn ? toTurn(turn) : null;
      }),

    get: (turnId) =>
      db.read(() => {
        const turn = turnRow(context, turnId);
        return turn ? toTurn(turn) : null;
      }),

    requestStop: (sessionId) =>
      db.write(() => {
        const turn = liveTurn(context, sessionId);
        if (!turn) return false;
        if (turn.stop_requested === 0) db.run("UPDATE turns SET stop_requested = 1 WHERE id = ?", turn.id);
        return true;
      }),

    undoLast: (sessionId, once) => db.write(() => undoLast(context, sessionId, once ?? null)),

    lastUndone: (sessionId) => db.read(() => lastUndone(context, sessionId)),
  };
}

function finishTurn(context: Context, request: FinishTurn): void {
  const { db, clock } = context;
  const turn = ownTurn(context, request.turnId, request.fence);
  settleOpenCalls(context, turn);
  addMessages(context, turn.session_id, turn.id, request.messages);
  const draft = db.get<{ key: string; message_id: string | null }>(
    "SELECT key, message_id FROM drafts WHERE turn_id = ?",
    turn.id,
  );
  const { key: here, entries: placed } = atItsPlace(context, turn, request.outbox);
  // Rows for other places do not belong to the handoff: it can be delivered without them.
  const entries = placed.map((entry) =>
    entry.handoffId === undefined && entry.key === here ? { ...entry, handoffId: turn.handoff_id } : entry,
  );
  const rows = enqueue(context, entries, { sessionId: turn.session_id, turnId: turn.id });
  const edited = draft && rows.find((row) => row.key === draft.key);
  if (edited) db.run("UPDATE outbox SET draft_message_id = ? WHERE id = ?", draft.message_id, edited.id);
  if (turn.inbox_id !== null) finishInbox(context, turn.inbox_id);
  endTurn(context, turn, request.state);
  db.run("UPDATE sessions SET updated_at = ? WHERE id = ?", clock.now(), turn.session_id);
  // A turn that was closed without an answer does not advance the handoff: it may be retried.
  if (turn.handoff_id !== null && request.state === "done") noteAnswered(context, turn.handoff_id);
}

/**
 * Redirects the turn's rows if its thread was deleted meanwhile, and its lane and binding moved: rows for the old place
 * go to the new one, which then needs no echo of them.
 */
function atItsPlace(
  context: Context,
  turn: TurnRow,
  entries: readonly NewOutboxEntry[],
): { readonly key: Surface; readonly entries: readonly NewOutboxEntry[] } {
  const moved = movedTo(context, turn);
  if (!moved) return { key: turn.surface, entries };
  const { key, conversation } = toBinding(moved);
  const isOfTurn = (entry: NewOutboxEntry) =>
    entry.key === turn.surface || (turn.handoff_id !== null && entry.handoffId === turn.handoff_id);
  return {
    key,
    entries: entries
      .filter((entry) => isOfTurn(entry) || entry.key !== key)
      .map((entry) => (isOfTurn(entry) ? { ...entry, key, conversation } : entry)),
  };
}

function movedTo(context: Context, turn: TurnRow): BindingRow | undefined {
  // A handoff's turn may be granted after the move, but still for the old place.
  if (turn.handoff_id !== null) return bindingOfHandoff(context, turn.handoff_id);
  // While a turn runs, only a move changes the session's `last_surface`.
  const surface = sessionRow(context, turn.session_id)?.last_surface;
  if (surface === undefined || surface === "terminal" || surface === turn.surface) return undefined;
  const binding = bindingRow(context, surface);
  return binding?.session_id === turn.session_id ? binding : undefined;
}

function undoLast(context: Context, sessionId: SessionId, once: string | null): UndoneExchange | null {
  const { db } = context;
  const undone = once === null ? null : hiddenBy(context, sessionId, once);
  if (undone !== null) return undone;
  assertNoTurn(context, sessionId);
  assertNoneInFlight(context, sessionId);
  const asked = db.get<{ seq: number; text: string }>(
    `SELECT seq, text FROM messages
     WHERE session_id = ? AND role = 'user' AND internal = 0 AND hidden_at IS NULL ORDER BY seq DESC LIMIT 1`,
    sessionId,
  );
  if (!asked) return null;
  closeStaleTurn(context, sessionId);
  const turns = turnsOf(context, "session_id = ? AND seq >= ? AND hidden_at IS NULL", sessionId, asked.seq);
  return { text: asked.text, removed: hideMessages(context, sessionId, asked.seq, once), turns };
}

/** What an earlier `/undo` took away. */
function hiddenBy(context: Context, sessionId: SessionId, once: string): UndoneExchange | null {
  const undone = context.db.get<{ text: string; removed: number }>(
    `SELECT text, (SELECT count(*) FROM messages WHERE hidden_by = $once) AS removed
     FROM messages WHERE hidden_by = $once AND session_id = $session ORDER BY seq LIMIT 1`,
    { once, session: sessionId },
  );
  return undone ? { ...undone, turns: turnsOf(context, "hidden_by = ?", once) } : null;
}

function lastUndone(context: Context, sessionId: SessionId): UndoneExchange | null {
  // Of two in the same millisecond, the later one took what stands further up.
  const last = context.db.get<{ hidden_by: string }>(
    `SELECT hidden_by FROM messages WHERE session_id = ? AND hidden_by IS NOT NULL
     ORDER BY hidden_at DESC, seq LIMIT 1`,
    sessionId,
  );
  return last ? hiddenBy(context, sessionId, last.hidden_by) : null;
}

function turnsOf({ db }: Context, where: string, ...values: (string | number)[]): TurnId[] {
  const rows = db.all<{ turn_id: TurnId }>(
    `SELECT turn_id FROM messages WHERE ${where} AND turn_id IS NOT NULL GROUP BY turn_id ORDER BY min(seq)`,
    ...values,
  );
  return rows.map(({ turn_id }) => turn_id);
}
