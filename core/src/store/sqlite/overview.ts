import type { SessionKey } from "../../adapter/session-key.ts";
import type { Lane } from "../../model/lane.ts";
import type { SessionId } from "../../model/session.ts";
import type { OverviewStore } from "../overview-store.ts";
import { accountLease } from "../work-stores.ts";
import { bindingRow, toBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { heldLeases } from "./held-leases.ts";
import { type StoredInboxRow, toInboxRow } from "./inbox-rows.ts";
import { leaseOf } from "./leases.ts";
import { outboxHead, toOutboxRow } from "./outbox-rows.ts";
import { holdsLease, isResumable, openTurn, toTurn } from "./turn-rows.ts";

export function sqliteOverview(context: Context): OverviewStore {
  return {
    lanes: ({ limit, offset = 0 }) =>
      context.db.read(() => {
        const rows = laneRows(context, limit, offset);
        // Beyond the last page no row says how many there are.
        const total = rows[0]?.total ?? laneRows(context, 1, 0)[0]?.total ?? 0;
        return { lanes: rows.flatMap((row) => toLane(context, row) ?? []), total };
      }),

    leases: () => context.db.read(() => heldLeases(context)),
  };
}

interface LaneRow {
  readonly key: SessionKey;
  readonly in_count: number;
  readonly in_at: number | null;
  readonly out_count: number;
  readonly out_at: number | null;
  readonly total: number;
}

/** Reads the indexes of what is open: what was said before costs nothing. */
function laneRows({ db }: Context, limit: number, offset: number): LaneRow[] {
  return db.all<LaneRow>(
    `SELECT key, sum(in_count) AS in_count, min(in_at) AS in_at, sum(out_count) AS out_count, min(out_at) AS out_at,
       count(*) OVER () AS total
     FROM (
       SELECT key, count(*) AS in_count, min(received_at) AS in_at, 0 AS out_count, NULL AS out_at
       FROM inbox INDEXED BY inbox_of_lane WHERE done_at IS NULL GROUP BY key
       UNION ALL
       SELECT key, 0, NULL, count(DISTINCT message_id), min(created_at)
       FROM outbox INDEXED BY outbox_of_lane WHERE state IN ('queued', 'sending') GROUP BY key
     )
     GROUP BY key ORDER BY min(coalesce(in_at, out_at)), key LIMIT ? OFFSET ?`,
    limit,
    offset,
  );
}

/** Null where its last row was done between two statements. */
function toLane(context: Context, row: LaneRow): Lane | null {
  const { key } = row;
  const first = inboxHead(context, key);
  const storedOut = outboxHead(context, key);
  const next = storedOut === undefined ? null : toOutboxRow(context, storedOut);
  const conversation = first?.message.conversation ?? next?.conversation;
  if (conversation === undefined) return null;
  const binding = bindingRow(context, key);
  const sessionId = binding ? toBinding(binding).sessionId : (next?.sessionId ?? null);
  const { platform, account } = conversation;
  const lease = leaseOf(context, accountLease(platform, account));
  return {
    key,
    conversation,
    sessionId,
    inbound: first && { count: row.in_count, oldestAt: row.in_at ?? first.receivedAt, state: first.state },
    outbound: next && {
      ...{ count: row.out_count, oldestAt: row.out_at ?? next.createdAt },
      ...{ state: next.state, attempts: next.attempts, dueAt: next.dueAt, error: next.error },
    },
    holder: lease && JSON.parse(lease.holder),
    turn: sessionId && turnOf(context, sessionId),
  };
}

function inboxHead({ db }: Context, key: SessionKey) {
  const row = db.get<StoredInboxRow>(
    "SELECT * FROM inbox INDEXED BY inbox_of_lane WHERE key = +? AND done_at IS NULL ORDER BY number LIMIT 1",
    key,
  );
  return row ? toInboxRow(row) : null;
}

function turnOf(context: Context, sessionId: SessionId): Lane["turn"] {
  const row = openTurn(context, sessionId);
  if (!row || !(holdsLease(context, row) || isResumable(row))) return null;
  const { state, waitsFor, surface, holder } = toTurn(row);
  return { state, waitsFor, surface, holder };
}
