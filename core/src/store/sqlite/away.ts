import type { Holder } from "../../base/process-identity.ts";
import type { Away } from "../../model/away.ts";
import type { Handoff } from "../../model/handoff.ts";
import type { SessionId } from "../../model/session.ts";
import type { AwayStore } from "../away-store.ts";
import { VIEW_LEASE_MS } from "../view-store.ts";
import { accountLease } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { since } from "./expiry.ts";
import { inFlightRow } from "./handoff-rows.ts";
import { insertRequest } from "./handoffs.ts";
import { isLive, leaseOf } from "./leases.ts";
import { parkForHandoff } from "./park-turn.ts";
import { holdsLease, openTurn } from "./turn-rows.ts";
import type { ViewRow } from "./views.ts";

export function sqliteAway(context: Context): AwayStore {
  const { db, clock } = context;
  return {
    set: (sessionId, { to, restMs, by }) =>
      db.write(() => write(context, sessionId, { to, restMs, by, seenAt: clock.now() })),

    get: (sessionId) => db.read(() => awayOf(context, sessionId)),

    isSet: () => db.read(() => db.get("SELECT 1 FROM sessions WHERE away IS NOT NULL LIMIT 1") !== undefined),

    clear: (sessionId) =>
      db.write(() => db.run("UPDATE sessions SET away = NULL WHERE id = ? AND away IS NOT NULL", sessionId) > 0),

    left: (sessionId, at) =>
      db.write(() => {
        const away = awayOf(context, sessionId);
        if (away === null) return false;
        const seenAt = Math.max(away.seenAt, at);
        write(context, sessionId, { ...away, seenAt });
        const last = openTurn(context, sessionId) ? undefined : latestTurn(context, sessionId);
        return last !== undefined && last.ended_at > seenAt;
      }),

    go: async (at, holder, ttlMs) => {
      // Mostly there is none, and nothing is written.
      if ((await db.read(() => waitingFor(context, at))).length === 0) return [];
      return db.write(() => go(context, at, holder, ttlMs));
    },
  };
}

interface AwayRow {
  readonly id: SessionId;
  readonly away: string;
  readonly last_surface: string;
}

type At = Parameters<AwayStore["go"]>[0];

function awayOf({ db }: Context, sessionId: SessionId): Away | null {
  const row = db.get<{ away: string | null }>("SELECT away FROM sessions WHERE id = ?", sessionId);
  return row?.away == null ? null : (JSON.parse(row.away) as Away);
}

function write({ db }: Context, sessionId: SessionId, away: Away): boolean {
  return db.run("UPDATE sessions SET away = ? WHERE id = ?", JSON.stringify(away), sessionId) > 0;
}

/** The sessions that go to an account, and that may do so by now. */
function waitingFor(context: Context, { platform, account }: At): { readonly id: SessionId; readonly away: Away }[] {
  return context.db
    .all<AwayRow>("SELECT id, away, last_surface FROM sessions WHERE away IS NOT NULL ORDER BY id")
    .map(({ id, away, last_surface: lastSurface }) => ({ id, away: JSON.parse(away) as Away, lastSurface }))
    .filter(({ away: { to } }) => to.platform === platform && (to.account ?? "") === (account ?? ""))
    .filter(({ id, away, lastSurface }) => lastSurface === "terminal" && isMissed(context, id, away));
}

function go(context: Context, at: At, holder: Holder, ttlMs: number): Handoff[] {
  const { db } = context;
  if (leaseOf(context, accountLease(at.platform, at.account))?.holder_id !== holder.id) return [];
  settleExpired(context);
  return waitingFor(context, at).flatMap(({ id, away: { to, by } }) => {
    if (inFlightRow(context, id)) return [];
    const turn = openTurn(context, id);
    // What was cut off with its terminal goes along.
    if (turn?.state === "running") parkForHandoff(context, turn);
    const result = insertRequest(context, id, to, { ttlMs, from: "terminal", by });
    if (!result.ok) return [];
    db.run("UPDATE sessions SET away = NULL WHERE id = ?", id);
    db.run("UPDATE handoffs SET away = 1 WHERE id = ?", result.handoff.id);
    return [{ ...result.handoff, isAway: true }];
  });
}

/** Whether nobody is there, and something waits or has ended that nobody saw. */
function isMissed(context: Context, id: SessionId, { restMs, seenAt }: Away): boolean {
  const views = context.db.all<ViewRow>("SELECT * FROM views WHERE session_id = ?", id);
  const open = views.filter((view) => isLive(context, view));
  if (open.some((view) => since(context.clock, view.active_at, view.active_steady) < restMs)) return false;
  const turn = openTurn(context, id);
  if (turn) return turn.surface === "terminal" && !holdsLease(context, turn);
  const last = latestTurn(context, id);
  if (last === undefined || last.ended_at <= Math.max(seenAt, ...views.map((view) => seenUntil(context, view)))) {
    return false;
  }
  // What is stopped while a terminal is there was stopped by somebody who sits at it.
  return last.state === "done" || open.length === 0;
}

/** The latest turn of a session in which none is open. */
function latestTurn({ db }: Context, id: SessionId): { readonly state: string; readonly ended_at: number } | undefined {
  return db.get("SELECT state, ended_at FROM turns WHERE session_id = ? ORDER BY fence DESC LIMIT 1", id);
}

/** Until when somebody saw what happened: the last key, and where the process is gone, its last sign. */
function seenUntil(context: Context, view: ViewRow): number {
  return isLive(context, view) ? view.active_at : Math.max(view.active_at, view.lease_until - VIEW_LEASE_MS);
}
