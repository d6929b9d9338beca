import type { Holder } from "../../base/process-identity.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { HeldLease, LeaseSubject } from "../../model/held-lease.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import { since } from "./expiry.ts";
import { isLive, type LeaseEnd } from "./leases.ts";

/** A migration: since when a process has a lease. */
export const LEASE_SINCE = `
ALTER TABLE leases ADD COLUMN since INTEGER;
`;

interface HeldRow extends LeaseEnd {
  readonly holder: string;
  readonly since: number | null;
}

/** All leases, those that nobody keeps any more last. */
export function heldLeases(context: Context): HeldLease[] {
  const held = [
    ...accounts(context),
    ...turns(context),
    ...handoffs(context),
    ...views(context),
    ...typedLines(context),
  ];
  return held.sort((a, b) => Number(b.isLive) - Number(a.isLive));
}

function accounts(context: Context): HeldLease[] {
  const rows = context.db.all<HeldRow & { name: string }>(
    "SELECT name, holder, since, lease_until, lease_steady FROM leases ORDER BY name",
  );
  return rows.map((row) => toLease(context, row, subjectOf(row.name)));
}

/** See {@link accountLease}: a platform's name has no colon. */
function subjectOf(name: string): LeaseSubject {
  const [, platform, account] = /^account:([^:]*):(.*)$/s.exec(name) ?? [];
  if (platform === undefined) return { kind: "other", name };
  return { kind: "account", platform, account: account || undefined };
}

function turns(context: Context): HeldLease[] {
  const rows = context.db.all<HeldRow & { id: TurnId; session_id: SessionId }>(
    `SELECT id, session_id, holder, started_at AS since, lease_until, lease_steady FROM turns
     WHERE ended_at IS NULL AND state = 'running' ORDER BY started_at, id`,
  );
  return rows.map((row) => toLease(context, row, { kind: "turn", turnId: row.id, sessionId: row.session_id }));
}

function handoffs(context: Context): HeldLease[] {
  // The first condition is that of the index.
  const rows = context.db.all<HeldRow & { id: HandoffId; session_id: SessionId; platform: string }>(
    `SELECT id, session_id, platform, holder, lease_until, lease_steady, (
       SELECT max(at) FROM handoff_steps WHERE handoff_id = handoffs.id AND step = 'claimed'
     ) AS since
     FROM handoffs INDEXED BY handoffs_waiting
     WHERE state IN ('pending', 'running') AND state = 'running' AND holder IS NOT NULL ORDER BY number`,
  );
  return rows.map((row) =>
    toLease(context, row, {
      ...{ kind: "handoff", handoffId: row.id, sessionId: row.session_id, platform: row.platform },
    }),
  );
}

function views(context: Context): HeldLease[] {
  const rows = context.db.all<HeldRow & { session_id: SessionId; surface: Surface }>(
    `SELECT session_id, surface, holder, opened_at AS since, lease_until, lease_steady FROM views
     ORDER BY opened_at, holder_id, surface`,
  );
  return rows.map((row) => toLease(context, row, { kind: "view", sessionId: row.session_id, surface: row.surface }));
}

function typedLines(context: Context): HeldLease[] {
  const rows = context.db.all<HeldRow & { session_id: SessionId; count: number }>(
    `SELECT session_id, holder, min(typed_at) AS since, max(lease_until) AS lease_until, lease_steady,
       count(*) AS count
     FROM typed_lines GROUP BY session_id, holder_id ORDER BY min(number)`,
  );
  return rows.map((row) => toLease(context, row, { kind: "typed-lines", sessionId: row.session_id, count: row.count }));
}

function toLease(context: Context, row: HeldRow, of: LeaseSubject): HeldLease {
  const { clock } = context;
  return {
    of,
    holder: JSON.parse(row.holder) as Holder,
    since: row.since,
    until: clock.now() - since(clock, row.lease_until, row.lease_steady),
    isLive: isLive(context, row),
  };
}
