import type { Holder } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId, UndoneExchange } from "../../model/turn.ts";
import type { TurnStore } from "../work-stores.ts";
import { leftRunning, noteProcess } from "./call-processes.ts";
import { appendToTurn, beginCall } from "./calls.ts";
import { closeStaleTurn, stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { settleExpired, whenSettled } from "./expired-approvals.ts";
import { finishTurn } from "./finish-turn.ts";
import { assertNoneInFlight, putOffExpiry } from "./handoff-rows.ts";
import { finishInbox } from "./inbox-rows.ts";
import { leaseEnd } from "./leases.ts";
import { filesOf, hideMessages, type MessageRow } from "./messages.ts";
import { whenAsksSettled } from "./open-ask.ts";
import { parkTurn } from "./park-turn.ts";
import { resumableTurns, resumeTurn } from "./resume-turn.ts";
import { startTurn } from "./start-turn.ts";
import { assertNoTurn, goesOn, holdsLease, liveTurn, openTurn, ownTurn, toTurn, turnRow } from "./turn-rows.ts";
import { removeLines } from "./typed-lines.ts";
import { growingTurn, isViewedElsewhere, noteText } from "./views.ts";

export function sqliteTurns(context: Context): TurnStore {
  const { db, clock } = context;
  return {
    startTurn: (request) => db.write(() => startTurn(context, request)),

    renewTurn: (turnId, fence, leaseMs) =>
      db.write(() => {
        const renewed = db.get<{ session_id: SessionId; park_requested: number }>(
          `UPDATE turns SET lease_until = $lease_until, lease_steady = $lease_steady
           WHERE id = $id AND fence = $fence AND ended_at IS NULL AND state = 'running'
           RETURNING session_id, park_requested`,
          { ...leaseEnd(clock, leaseMs), id: turnId, fence },
        );
        if (renewed?.park_requested === 1) putOffExpiry(context, renewed.session_id);
        return renewed !== undefined;
      }),

    append: (turnId, fence, messages, usage) =>
      db.write(() => appendToTurn(context, ownTurn(context, turnId, fence), messages, usage)),

    takeIn: (turnId, fence, said) =>
      db.write(() => {
        const turn = ownTurn(context, turnId, fence);
        const holder = JSON.parse(turn.holder) as Holder;
        const taken = said.filter(({ inboxId, line }) =>
          inboxId === undefined ? removeLines(context, [line], holder) > 0 : finishInbox(context, inboxId),
        );
        appendToTurn(
          context,
          turn,
          taken.map(({ message }) => message),
        );
      }),

    beginCall: (turnId, fence, call) => db.write(() => beginCall(context, turnId, fence, call)),

    noteProcess: (turnId, fence, callId, process) =>
      db.write(() => noteProcess(context, turnId, fence, callId, process)),

    leftRunning: () => db.read(() => leftRunning(context)),

    processEnded: (id) =>
      db.write(() => {
        db.run("DELETE FROM call_processes WHERE id = ?", id);
      }),

    finishTurn: (request) => db.write(() => finishTurn(context, request)),

    parkTurn: (request) => db.write(() => parkTurn(context, request)),

    resumeTurn: (request) => db.write(() => resumeTurn(context, request)),

    resumable: async (at) => {
      // Gateways ask this every two seconds: what nobody answered does not stand there for longer.
      await whenAsksSettled(context, () => {});
      return whenSettled(context, () => resumableTurns(context, at).map(toTurn));
    },

    running: (sessionId) =>
      whenSettled(context, () => {
        const turn = openTurn(context, sessionId);
        return turn && (holdsLease(context, turn) || goesOn(turn)) ? toTurn(turn) : null;
      }),

    get: (turnId) =>
      whenSettled(context, () => {
        const turn = turnRow(context, turnId);
        return turn ? toTurn(turn) : null;
      }),

    noteText: async (turnId, fence, text) => {
      // Mostly nobody looks: then this takes no write lock.
      if (!(await db.read(() => isViewedElsewhere(context, turnId)))) return false;
      await db.write(() => noteText(context, turnId, fence, text));
      return true;
    },

    growing: (sessionId) => db.read(() => growingTurn(context, sessionId)),

    requestStop: (sessionId) =>
      db.write(() => {
        settleExpired(context);
        const turn = liveTurn(context, sessionId);
        if (!turn) return stopWaitingTurn(context, sessionId);
        if (turn.stop_requested === 0) db.run("UPDATE turns SET stop_requested = 1 WHERE id = ?", turn.id);
        return true;
      }),

    undoLast: (sessionId, once) => db.write(() => undoLast(context, sessionId, once ?? null)),

    lastUndone: (sessionId) => db.read(() => lastUndone(context, sessionId)),
  };
}

function undoLast(context: Context, sessionId: SessionId, once: string | null): UndoneExchange | null {
  settleExpired(context);
  const undone = once === null ? null : hiddenBy(context, sessionId, once);
  if (undone !== null) return undone;
  assertNoTurn(context, sessionId);
  assertNoneInFlight(context, sessionId);
  const asked = lastRequest(context, sessionId);
  if (!asked) return null;
  stopWaitingTurn(context, sessionId);
  closeStaleTurn(context, sessionId);
  const turns = turnsOf(context, "session_id = ? AND seq >= ? AND hidden_at IS NULL", sessionId, asked.seq);
  return { ...requestOf(asked), removed: hideMessages(context, sessionId, asked.seq, once), turns };
}

/** What an earlier `/undo` took away. */
function hiddenBy(context: Context, sessionId: SessionId, once: string): UndoneExchange | null {
  const undone = context.db.get<Request & { removed: number }>(
    `SELECT text, files, (SELECT count(*) FROM messages WHERE hidden_by = $once) AS removed
     FROM messages WHERE hidden_by = $once AND session_id = $session ORDER BY seq LIMIT 1`,
    { once, session: sessionId },
  );
  if (!undone) return null;
  return { ...requestOf(undone), removed: undone.removed, turns: turnsOf(context, "hidden_by = ?", once) };
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

type Request = Pick<MessageRow, "text" | "files">;

function requestOf(row: Request): Pick<UndoneExchange, "text" | "files"> {
  return { text: row.text, ...(row.files === null ? {} : { files: filesOf(row) }) };
}

/** The last message of a person, or the first one of its turn: what was said while the turn waited belongs to that. */
function lastRequest({ db }: Context, sessionId: SessionId): (Request & { seq: number }) | undefined {
  const ofPeople = "session_id = $session AND role = 'user' AND internal = 0 AND hidden_at IS NULL";
  const last = db.get<Request & { seq: number; turn_id: string | null }>(
    `SELECT seq, text, files, turn_id FROM messages WHERE ${ofPeople} ORDER BY seq DESC LIMIT 1`,
    { session: sessionId },
  );
  if (!last || last.turn_id === null) return last;
  return db.get(`SELECT seq, text, files FROM messages WHERE ${ofPeople} AND turn_id = $turn ORDER BY seq LIMIT 1`, {
    ...{ session: sessionId, turn: last.turn_id },
  });
}
