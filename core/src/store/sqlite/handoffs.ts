import { HermesError } from "../../base/errors.ts";
import type { Holder } from "../../base/process-identity.ts";
import type {
  CompletedFacts,
  Handoff,
  HandoffFacts,
  HandoffId,
  HandoffStep,
  RequestOptions,
  RequestResult,
} from "../../model/handoff.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { PlatformTarget } from "../../model/place.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import type { HandoffStore } from "../work-stores.ts";
import { bindHandoff } from "./bind-handoff.ts";
import { bindingRow, toBinding } from "./binding-rows.ts";
import { closeStaleTurn } from "./close-turn.ts";
import { compensate } from "./compensate-handoff.ts";
import type { Context, SqlValue } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { steadyIn } from "./expiry.ts";
import {
  addStep,
  addWarning,
  endHandoff,
  failExpired,
  type HandoffRow,
  handoffOf,
  handoffRow,
  handoffRows,
  hasReached,
  heldHandoff,
  inFlightRow,
  isExpired,
  leasedHandoff,
  noteDelivered,
  reachStep,
  toHandoff,
} from "./handoff-rows.ts";
import { toTerminal } from "./handoff-to-terminal.ts";
import { isLive, leaseEnd } from "./leases.ts";
import { enqueue } from "./outbox-rows.ts";
import { parkForHandoff } from "./park-turn.ts";
import { sessionRow } from "./session-rows.ts";
import { readable } from "./text.ts";
import { liveTurn, openTurn } from "./turn-rows.ts";

/** Milliseconds that a handoff waits to be claimed. */
const DEFAULT_TTL_MS = 60_000;

export function sqliteHandoffs(context: Context): HandoffStore {
  const { db, clock } = context;
  const asHandoff = (row: HandoffRow) => toHandoff(context, row);

  /** Selects handoffs, and writes only if one of them expired unclaimed. */
  const select = async (rest: string, ...values: SqlValue[]): Promise<Handoff[]> => {
    const rows = await db.read(() => handoffRows(context, rest, ...values));
    if (!rows.some((row) => isExpired(context, row))) return rows.map(asHandoff);
    return db.write(() => {
      for (const row of handoffRows(context, rest, ...values)) failExpired(context, row);
      return handoffRows(context, rest, ...values).map(asHandoff);
    });
  };

  return {
    requestHandoff: (sessionId, to, options = {}) => db.write(() => insertRequest(context, sessionId, to, options)),

    toTerminal: (request) => db.write(() => toTerminal(context, request)),

    offeredToTerminal: () => select("WHERE offered = 1 ORDER BY number"),

    taken: (id) => db.write(() => db.run("UPDATE handoffs SET offered = 0 WHERE id = ? AND offered = 1", id) > 0),

    get: async (id) => (await select("WHERE id = ?", id))[0] ?? null,

    latestOf: async (sessionId) =>
      (await select("WHERE session_id = ? ORDER BY number DESC LIMIT 1", sessionId))[0] ?? null,

    latestBoundAt: async (key) => (await select("WHERE bound_key = +? ORDER BY number DESC LIMIT 1", key))[0] ?? null,

    list: ({ sessionId, inFlight, limit }) =>
      select(
        `WHERE ${sessionId === undefined ? "TRUE" : "session_id = ?"} AND ${stateCondition(inFlight)}
         ORDER BY number DESC LIMIT ?`,
        ...(sessionId === undefined ? [] : [sessionId]),
        limit,
      ),

    listPendingHandoffs: (at) =>
      at === undefined
        ? select(`WHERE ${PENDING} ORDER BY number`)
        : select(
            `WHERE ${PENDING} AND platform = +? AND account IS +? ORDER BY number`,
            at.platform,
            at.account ?? null,
          ),

    claimHandoff: (id, holder, leaseMs) =>
      db.write(() => {
        const row = handoffRow(context, id);
        if (row?.state !== "pending" || failExpired(context, row)) return false;
        if (liveTurn(context, row.session_id)) return false;
        const left = openTurn(context, row.session_id);
        if (left?.state === "running") parkForHandoff(context, left);
        leaseTo(context, row, holder, leaseMs);
        reachStep(context, row, "claimed");
        return true;
      }),

    renewHandoff: (id, holder, leaseMs) =>
      db.write(() => {
        if (!heldHandoff(context, id, holder)) return false;
        db.run("UPDATE handoffs SET lease_until = $lease_until, lease_steady = $lease_steady WHERE id = $id", {
          ...leaseEnd(clock, leaseMs),
          id,
        });
        return true;
      }),

    intendThread: (id, holder) =>
      db.write(() => {
        if (!leasedHandoff(context, id, holder)) return false;
        db.run("UPDATE handoffs SET thread_intent_at = ? WHERE id = ?", clock.now(), id);
        return true;
      }),

    advanceHandoff: (id, holder, step, facts) => db.write(() => advance(context, id, holder, step, facts)),

    bindHandoff: (request) => db.write(() => bindHandoff(context, request)),

    completeHandoff: (id, holder, facts) =>
      db.write(() => {
        const row = heldHandoff(context, id, holder);
        if (!row) return false;
        complete(context, row, facts);
        return true;
      }),

    failHandoff: (id, holder, error) =>
      db.write(() => {
        const row = heldHandoff(context, id, holder);
        // A binding must be undone in the same step: compensateHandoff does that.
        if (!row || row.bound_key !== null) return false;
        endHandoff(context, row, "failed", error);
        return true;
      }),

    compensateHandoff: (id, holder, error) =>
      db.write(() => {
        const row = heldHandoff(context, id, holder);
        return row ? compensate(context, row, error) : false;
      }),

    cancelHandoff: (id) => db.write(() => cancel(context, id)),

    leftThreads: ({ platform, account }) =>
      select(
        "WHERE state = 'failed' AND thread_opened = 1 AND platform = +? AND account IS +? ORDER BY number",
        platform,
        account ?? null,
      ),

    threadRemoved: (id) =>
      db.write(() => {
        db.run("UPDATE handoffs SET thread_opened = 0 WHERE id = ?", id);
      }),

    reclaimHandoffs: ({ platform, account }, holder, leaseMs) =>
      db.write(() =>
        handoffRows(
          context,
          "WHERE state = 'running' AND platform = +? AND account IS +? ORDER BY number",
          platform,
          account ?? null,
        )
          .filter((row) => !isLive(context, row))
          .map((row) => {
            leaseTo(context, row, holder, leaseMs);
            return handoffRow(context, row.id);
          })
          .filter((row) => row !== undefined)
          .map(asHandoff),
      ),
  };
}

/** Names the states of the index of handoffs under way: a gateway looks at each write of others, and reads no ended one. */
export const PENDING = "state IN ('pending', 'running') AND state = 'pending'";

function stateCondition(inFlight: boolean | undefined): string {
  if (inFlight === undefined) return "TRUE";
  return `state ${inFlight ? "IN" : "NOT IN"} ('pending', 'running')`;
}

/** See HandoffStore. For use inside a transaction. */
export function insertRequest(
  context: Context,
  sessionId: SessionId,
  to: PlatformTarget,
  { ttlMs = DEFAULT_TTL_MS, from, after, by = OPERATOR }: RequestOptions,
): RequestResult {
  const { db, clock, ids } = context;
  const session = sessionRow(context, sessionId);
  if (!session) return { ok: false, reason: "unknown_session" };
  const inFlight = inFlightRow(context, sessionId);
  if (inFlight) return { ok: false, reason: "in_flight", handoff: toHandoff(context, inFlight) };
  if (after !== undefined && latestIdOf(context, sessionId) !== after) return { ok: false, reason: "moved" };
  settleExpired(context);
  const turn = liveTurn(context, sessionId);
  // Only a turn that runs by now is to be parked; one that a dead process left long ago is closed.
  if (turn) db.run("UPDATE turns SET park_requested = 1 WHERE id = ?", turn.id);
  else closeStaleTurn(context, sessionId);

  // What was offered to terminals moves on.
  db.run("UPDATE handoffs SET offered = 0 WHERE session_id = ? AND offered = 1", sessionId);
  const id = ids.next("hof") as HandoffId;
  const now = clock.now();
  db.run(
    `INSERT INTO handoffs (id, session_id, from_surface, left_surface, platform, account, target, state, requested_at,
       expires_at, expires_steady, ttl_ms, mark, asked_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
    id,
    sessionId,
    from ?? session.last_surface,
    from === undefined || from === "terminal" ? session.last_surface : from,
    to.platform,
    to.account ?? null,
    to.kind === "home" ? null : JSON.stringify(to),
    now,
    now + ttlMs,
    steadyIn(clock, ttlMs),
    ttlMs,
    ids.next("mark"),
    by,
  );
  addStep(context, id, "pending");
  return { ok: true, handoff: handoffOf(context, id) };
}

function latestIdOf({ db }: Context, sessionId: SessionId): HandoffId | null {
  const sql = "SELECT id FROM handoffs WHERE session_id = ? ORDER BY number DESC LIMIT 1";
  return db.get<{ id: HandoffId }>(sql, sessionId)?.id ?? null;
}

function leaseTo({ db, clock }: Context, row: HandoffRow, holder: Holder, leaseMs: number): void {
  db.run(
    `UPDATE handoffs SET state = 'running', attempt = attempt + 1, holder_id = $holder_id, holder = $holder,
       lease_until = $lease_until, lease_steady = $lease_steady
     WHERE id = $id`,
    { id: row.id, holder_id: holder.id, holder: JSON.stringify(holder), ...leaseEnd(clock, leaseMs) },
  );
}

function advance(
  context: Context,
  id: HandoffId,
  holder: Holder,
  step: HandoffStep,
  facts: HandoffFacts | undefined,
): boolean {
  const row = leasedHandoff(context, id, holder);
  if (!row) return false;
  recordFacts(context, row, facts);
  reachStep(context, row, step);
  if (step === "answered") noteDelivered(context, id);
  return true;
}

function recordFacts(context: Context, row: HandoffRow, facts: HandoffFacts = {}): void {
  context.db.run(
    "UPDATE handoffs SET conversation = ?, place = ?, link = ?, flat_because = ?, thread_opened = ? WHERE id = ?",
    facts.conversation === undefined ? row.conversation : JSON.stringify(facts.conversation),
    facts.place === undefined ? row.place : readable(facts.place),
    facts.link === undefined ? row.link : facts.link,
    facts.flatBecause === undefined ? row.flat_because : facts.flatBecause,
    facts.threadOpened === undefined ? row.thread_opened : Number(facts.threadOpened),
    row.id,
  );
  if (facts.warning !== undefined) addWarning(context, row.id, facts.warning);
}

function complete(context: Context, row: HandoffRow, { left, ...facts }: CompletedFacts = {}): void {
  const { db } = context;
  recordFacts(context, row, facts);
  // A turn that was taken along has not been there yet.
  if (row.turn_surface !== null) {
    db.run(
      `UPDATE sessions SET last_surface = coalesce((SELECT key FROM bindings WHERE handoff_id = ?), ?), left_surface = NULL
       WHERE id = ?`,
      row.id,
      row.bound_key,
      row.session_id,
    );
  }
  const told = left && wherePlaceLeftIs(context, row, left);
  if (told && sessionRow(context, row.session_id)?.last_surface !== told.key) enqueue(context, [told], {});
  endHandoff(context, row, "completed", null);
}

/**
 * The place that was left may have moved since somebody looked where it is: its thread is gone, or its chat has another
 * id.
 */
function wherePlaceLeftIs(context: Context, row: HandoffRow, left: NewOutboxEntry): NewOutboxEntry {
  const surface = row.left_surface;
  if (surface === null || surface === "terminal" || surface === left.key) return left;
  const binding = bindingRow(context, surface);
  if (binding?.session_id !== row.session_id) return left;
  const { key, conversation } = toBinding(binding);
  return { ...left, key, conversation };
}

function cancel(context: Context, id: HandoffId): boolean {
  const row = handoffRow(context, id);
  if (!row || row.ended_at !== null || failExpired(context, row)) return false;
  const { code, message } = new HermesError("HANDOFF_CANCELLED", {});
  const error = { code, text: message };
  if (row.state === "pending") {
    endHandoff(context, row, "failed", error);
    return true;
  }
  return !isLive(context, row) && !hasReached(row, "delivered") && compensate(context, row, error);
}
