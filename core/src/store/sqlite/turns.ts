import type { Holder } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { Turn } from "../../model/turn.ts";
import type { TurnStore } from "../work-stores.ts";
import { leftRunning, noteProcess } from "./call-processes.ts";
import { appendToTurn, beginCall } from "./calls.ts";
import { stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { settleExpired, unlessWaiting, whenSettled } from "./expired-approvals.ts";
import { finishTurn } from "./finish-turn.ts";
import { putOffExpiry } from "./handoff-rows.ts";
import { finishInbox, openInboxRow } from "./inbox-rows.ts";
import { leaseEnd } from "./leases.ts";
import { whenAsksSettled } from "./open-ask.ts";
import { parkTurn } from "./park-turn.ts";
import { resumableTurns, resumeTurn } from "./resume-turn.ts";
import { startTurn } from "./start-turn.ts";
import { callsOf } from "./turn-calls.ts";
import { holdsLease, isResumable, liveTurn, marksOf, openTurn, ownTurn, toTurn, turnRow } from "./turn-rows.ts";
import { removeLines } from "./typed-lines.ts";
import { lastUndone, rewind, undoLast } from "./undo.ts";
import { growingTurn, isViewedElsewhere, isViewedInChat, noteGrowing } from "./views.ts";

export function sqliteTurns(context: Context): TurnStore {
  const { db, clock } = context;
  const turnThat = (read: () => Turn | null) =>
    unlessWaiting(context, read, (turn) => turn !== null && turn.state === "waiting");
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
        const taken = said.filter((one) => {
          if (one.inboxId === undefined) return removeLines(context, [one.line], holder) > 0;
          return openInboxRow(context, one.inboxId)?.digest === one.digest && finishInbox(context, one.inboxId);
        });
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
      turnThat(() => {
        const turn = openTurn(context, sessionId);
        return turn && (holdsLease(context, turn) || isResumable(turn)) ? toTurn(turn) : null;
      }),

    get: (turnId) =>
      turnThat(() => {
        const turn = turnRow(context, turnId);
        return turn ? toTurn(turn) : null;
      }),

    marks: (turnIds) => db.read(() => marksOf(context, turnIds)),

    noteText: async (turnId, fence, text) => {
      // Mostly nobody looks: then this takes no write lock.
      if (!(await db.read(() => isViewedElsewhere(context, turnId)))) return false;
      await db.write(() => noteGrowing(context, turnId, fence, { text, callId: null }));
      return true;
    },

    noteOutput: async (turnId, fence, callId, text) => {
      if (!(await db.read(() => isViewedInChat(context, turnId)))) return false;
      await db.write(() => noteGrowing(context, turnId, fence, { text, callId }));
      return true;
    },

    growing: (sessionId) => db.read(() => growingTurn(context, sessionId)),

    calls: (turnIds) => db.read(() => turnIds.flatMap((turnId) => callsOf(context, turnId))),

    requestStop: (sessionId) =>
      db.write(() => {
        settleExpired(context);
        const turn = liveTurn(context, sessionId);
        if (!turn) return stopWaitingTurn(context, sessionId);
        if (turn.stop_requested === 0) db.run("UPDATE turns SET stop_requested = 1 WHERE id = ?", turn.id);
        return true;
      }),

    rewind: (request) => db.write(() => rewind(context, request)),

    undoLast: (sessionId, once) => db.write(() => undoLast(context, sessionId, once ?? null)),

    lastUndone: (sessionId) => db.read(() => lastUndone(context, sessionId)),
  };
}
